import { expect, test } from 'vitest';
import { parseHierarchies } from './cgroups.ts';

test('version 1 beside an empty version 2 is read with its controllers', () => {
  const text = [
    '30 24 0:26 / /sys/fs/cgroup rw shared:4 - tmpfs tmpfs rw,mode=755',
    '31 30 0:27 / /sys/fs/cgroup/cpu,cpuacct rw shared:5 - cgroup cgroup rw,cpu,cpuacct',
    '32 30 0:28 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,release_agent=/x,name=systemd',
    '33 30 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,nsdelegate',
  ].join('\n');
  expect(parseHierarchies(text)).toEqual([
    { path: '/sys/fs/cgroup/cpu,cpuacct', version: 1, controllers: ['cpu', 'cpuacct'] },
    { path: '/sys/fs/cgroup/systemd', version: 1, controllers: ['name=systemd'] },
    { path: '/sys/fs/cgroup/unified', version: 2, controllers: [] },
  ]);
});

test('version 2 alone is one hierarchy, however often it is mounted', () => {
  const mount = '30 24 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot';
  expect(parseHierarchies(`${mount}\n${mount.replace('/sys/fs/cgroup', '/mnt')}\n`)).toEqual([
    { path: '/sys/fs/cgroup', version: 2, controllers: [] },
  ]);
});

test('a computer without cgroups has no hierarchy', () => {
  expect(parseHierarchies('24 1 8:1 / / rw - ext4 /dev/sda rw\n')).toEqual([]);
});

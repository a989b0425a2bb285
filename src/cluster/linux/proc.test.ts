import { describe, expect, test } from 'vitest';
import { argvOf, bootOf, containerOf, listeningIn, memoryAvailableIn, portsIn, startOf } from './proc.ts';

const ID = 'a1'.repeat(32);

test('arguments end with a byte of zero each, and may be empty or hold spaces', () => {
  expect(argvOf('kube-apiserver\0--a=b c\0\0--d\0')).toEqual(['kube-apiserver', '--a=b c', '', '--d']);
  expect(argvOf('')).toEqual([]);
});

test('the start of a process is found behind whatever its name has', () => {
  const fields = Array.from({ length: 50 }, (_, at) => String(at + 3));
  fields[0] = 'S';
  fields[19] = '123456';
  expect(startOf(`42 (odd) S 1 (name) ${fields.join(' ')}`)).toBe(1_234_560);
  expect(bootOf('cpu  1 2 3\nbtime 1700000000\nprocesses 5\n')).toBe(1_700_000_000_000);
});

describe('the container of a process', () => {
  test.each([
    `0::/kubepods.slice/kubepods-burstable.slice/cri-containerd-${ID}.scope`,
    `0::/kubepods.slice/kubepods-pod1.slice/crio-${ID}.scope/container`,
    `12:memory:/kubepods/burstable/pod1/${ID}\n1:name=systemd:/x`,
    `0::/system.slice/containerd.service/kubepods-besteffort-pod1.slice:cri-containerd:${ID}`,
  ])('is read from %s', (cgroup) => {
    expect(containerOf(cgroup)).toBe(ID);
  });

  test.each(['0::/', '0::/system.slice/kubelet.service', `0::/x/${ID}0`])('is none in %s', (cgroup) => {
    expect(containerOf(cgroup)).toBeUndefined();
  });
});

test('sockets that wait for connections have an address of either family', () => {
  const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:0CEA 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 11 1 0
   1: 0B00590A:192B 0A00590A:C350 01 00000000:00000000 00:00000000 00000000     0        0 12 1 0
   2: 00000000000000000000000000000000:192B 00000000000000000000000000000000:0000 0A 0:0 00:0 0 0 0 13 1 0
   3: B80D0120000000000000000001000000:0016 00000000000000000000000000000000:0000 0A 0:0 00:0 0 0 0 14 1 0
`;
  expect(listeningIn(table)).toEqual([
    { address: '127.0.0.1', port: 3306, inode: '11' },
    { address: '::', port: 6443, inode: '13' },
    { address: '2001:db8::1', port: 22, inode: '14' },
  ]);
  expect(listeningIn('')).toEqual([]);
});

test('what is left of memory and of ports is read in the units of the kernel', () => {
  expect(memoryAvailableIn('MemTotal:       100 kB\nMemAvailable:     64 kB\n')).toBe(65_536);
  expect(portsIn('32768\t60999\n')).toEqual({ from: 32_768, to: 60_999 });
});

import { describe, expect, test } from 'vitest';
import type { Pod } from '../../cluster/objects.ts';
import { stockManifests } from '../../cluster/simulated/stock.ts';
import { parseManifest } from '../manifest.ts';
import type { ManifestFile } from './context.ts';
import { editedPod, type RollEdits } from './edits.ts';

async function fileOf(component: string, change: (pod: Pod) => Pod = (pod) => pod): Promise<ManifestFile> {
  const given = stockManifests({ address: '10.0.0.11' })[`${component}.yaml`]!;
  const text = JSON.stringify(change((await parseManifest(given)).pod!));
  const { pod, source } = await parseManifest(text);
  return { path: `/m/${component}.yaml`, text, pod: pod!, source: source! };
}

async function argvAfter(edits: RollEdits, change?: (pod: Pod) => Pod): Promise<readonly string[]> {
  const { pod } = editedPod(await fileOf('kube-scheduler', change), 'kube-scheduler', edits);
  const { command = [], args = [] } = pod!.spec.containers[0]!;
  return [...command, ...args];
}

test('a flag that is there gets its value where it stands, and one that is not goes to the end', async () => {
  const argv = await argvAfter({ setFlags: { 'leader-elect': 'false', v: '4' } });
  const before = await argvAfter({});
  expect(argv).toEqual([...before.map((flag) => flag.replace('leader-elect=true', 'leader-elect=false')), '--v=4']);
});

test('flags behind the name of the program in args are edited there', async () => {
  const split = (pod: Pod): Pod => {
    const [container] = pod.spec.containers;
    const [program, ...args] = container!.command!;
    return { ...pod, spec: { ...pod.spec, containers: [{ ...container!, command: [program!], args }] } };
  };
  const { pod } = editedPod(await fileOf('kube-scheduler', split), 'kube-scheduler', { setFlags: { v: '4' } });
  expect(pod!.spec.containers[0]!.command).toEqual(['kube-scheduler']);
  expect(pod!.spec.containers[0]!.args!.at(-1)).toBe('--v=4');
});

test('everything else stays as it is', async () => {
  const file = await fileOf('kube-scheduler');
  expect(editedPod(file, 'kube-scheduler', {}).pod).toEqual(file.pod);
});

describe('refused is', () => {
  test.each<[string, RollEdits, string]>([
    ['another port', { setFlags: { 'secure-port': '1' } }, 'FLAG_INVALID'],
    ['another port in other words', { setFlags: { secure_port: '1' } }, 'FLAG_INVALID'],
    ['a port that is not said any more', { removeFlags: ['bind-address'] }, 'FLAG_INVALID'],
    ['a flag that is set and removed', { setFlags: { v: '1' }, removeFlags: ['v'] }, 'FLAG_INVALID'],
  ])('%s', async (_, edits, code) => {
    const { pod, problems } = editedPod(await fileOf('kube-scheduler'), 'kube-scheduler', edits);
    expect(pod).toBeUndefined();
    expect(problems.map((problem) => [problem.code, problem.component])).toEqual([[code, 'kube-scheduler']]);
  });

  test('the manifest of something else', async () => {
    const { pod } = await fileOf('kube-scheduler');
    const { problems } = editedPod(await fileOf('kube-apiserver'), 'kube-apiserver', { pod });
    expect(problems.map(({ code }) => code)).toEqual(['COMPONENT_UNKNOWN']);
  });

  test('what two API servers have to agree in, with the way round it', async () => {
    const file = await fileOf('kube-apiserver');
    const edits = { setFlags: { 'etcd-servers': 'https://10.0.0.9:2379' } };
    const { problems } = editedPod(file, 'kube-apiserver', edits);
    expect(problems[0]).toMatchObject({ severity: 'error', code: 'SERVERS_DIFFER' });
    expect(problems[0]!.hint).toContain('--force');
    expect(editedPod(file, 'kube-apiserver', edits, true).pod).toBeDefined();
  });
});

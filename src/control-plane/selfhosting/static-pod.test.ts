import { describe, expect, test } from 'vitest';
import { createMemoryFiles } from '../../cluster/simulated/files.ts';
import { parseStaticPod, readStaticPod } from './static-pod.ts';

const POD = 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - image: x\n';

describe('a manifest', () => {
  test.each([
    ['YAML', POD],
    ['YAML with dashes before and after', `---\n${POD}---\n`],
    ['YAML with line ends of Windows', POD.replaceAll('\n', '\r\n')],
    ['JSON', '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"image":"x"}]}}'],
  ])('is read as %s', async (_, text) => {
    const pod = await parseStaticPod(text, '/m.yaml');
    expect(JSON.parse(JSON.stringify(pod))).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ image: 'x' }] },
    });
  });

  test.each([
    ['is empty', ''],
    ['is white space', ' \n\n'],
    ['is a comment', '# hunter2\n'],
    ['is no YAML', 'spec: [hunter2'],
    ['has a key twice', `${POD}spec: {}\n`],
    ['holds two Pods', `${POD}---\n${POD}`],
    ['is of another kind', POD.replace('Pod', 'Deployment')],
    ['is of another version', POD.replace('v1', 'v2')],
    ['is a list', `- ${POD.replaceAll('\n', '\n  ')}`],
    ['is a text', 'hunter2'],
    ['has no spec', 'apiVersion: v1\nkind: Pod\n'],
    ['has a list as its spec', 'apiVersion: v1\nkind: Pod\nspec:\n- containers: []\n'],
    ['has a mapping of containers', 'apiVersion: v1\nkind: Pod\nspec: {containers: {a: hunter2}}\n'],
    ['has a container that is a text', 'apiVersion: v1\nkind: Pod\nspec: {containers: [hunter2]}\n'],
    ['has a volume that is nothing', 'apiVersion: v1\nkind: Pod\nspec: {volumes: [null]}\n'],
  ])('that %s is refused, with its path and without its content', async (_, text) => {
    const error: unknown = await parseStaticPod(text, '/m.yaml').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'MANIFEST_INVALID' });
    expect(String(error)).toContain('/m.yaml');
    expect(String(error)).not.toContain('hunter2');
  });

  test('names the line of what cannot be read', async () => {
    await expect(parseStaticPod('a: 1\nb: 2\nb: 3\n', '/m')).rejects.toThrow('at line 3');
  });

  test('that cannot be read keeps the reason as its cause', async () => {
    const error: unknown = await readStaticPod(createMemoryFiles({}), '/m.yaml').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'FILE_UNREADABLE', cause: { code: 'ENOENT' } });
  });
});

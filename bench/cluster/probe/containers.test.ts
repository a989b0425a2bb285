import { expect, test } from 'vitest';
import { countRestarts, parseContainers, type ContainerState } from './containers.ts';

function state(attempt: number, uid = 'u', container = 'kube-apiserver'): ContainerState {
  return { node: 'cp1', namespace: 'kube-system', pod: 'kube-apiserver-cp1', uid, container, attempt };
}

test('containers are read from what crictl prints', () => {
  const labels = {
    'io.kubernetes.pod.namespace': 'kube-system',
    'io.kubernetes.pod.name': 'kube-apiserver-cp1',
    'io.kubernetes.pod.uid': 'u',
  };
  const json = JSON.stringify({ containers: [{ metadata: { name: 'kube-apiserver', attempt: 2 }, labels }] });
  expect(parseContainers('cp1', json)).toEqual([state(2)]);
  expect(parseContainers('cp1', '{"containers":[]}')).toEqual([]);
});

test('a container that stayed has no restart', () => {
  expect(countRestarts([state(3)], [state(3)])).toMatchObject([{ restarts: 0, isNew: false }]);
});

test('dead containers beside a living one are not counted twice', () => {
  expect(countRestarts([state(0)], [state(2), state(1), state(0)])).toMatchObject([{ restarts: 2, isNew: false }]);
});

test('a Pod that took the place of another starts from nothing', () => {
  expect(countRestarts([state(5)], [state(1, 'new')])).toMatchObject([{ restarts: 1, isNew: true }]);
});

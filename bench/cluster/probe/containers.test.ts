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

const on = (...states: ContainerState[]) => new Map([['cp1', states]]);

test('a container that stayed has no restart', () => {
  expect(countRestarts(on(state(3)), on(state(3)))).toMatchObject([{ restarts: 0, isNew: false }]);
});

test('dead containers beside a living one are not counted twice', () => {
  expect(countRestarts(on(state(0)), on(state(2), state(1), state(0)))).toMatchObject([{ restarts: 2, isNew: false }]);
});

test('a Pod that took the place of another starts from nothing', () => {
  expect(countRestarts(on(state(5)), on(state(1, 'new')))).toMatchObject([{ restarts: 1, isNew: true }]);
});

test('a node that could not be asked before or after has no number', () => {
  const off = new Map([['cp1', undefined]]);
  expect(countRestarts(off, on(state(7)))).toMatchObject([{ restarts: null, isNew: false }]);
  expect(countRestarts(on(state(7)), off)).toMatchObject([{ container: 'kube-apiserver', restarts: null }]);
});

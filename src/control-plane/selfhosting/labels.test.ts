import { expect, test } from 'vitest';
import {
  buildSelfhostedComponentLabels,
  buildSelfHostedComponentLabelQuery,
  CONTROL_PLANE_COMPONENTS,
} from './labels.ts';

test.each([
  ['kube-apiserver', 'self-hosted-kube-apiserver'],
  ['kube-controller-manager', 'self-hosted-kube-controller-manager'],
  ['kube-scheduler', 'self-hosted-kube-scheduler'],
  ['foo', 'self-hosted-foo'],
  ['__proto__', 'self-hosted-__proto__'],
])('%s has the label k8s-app=%s', (component, value) => {
  expect(buildSelfhostedComponentLabels(component)).toEqual({ 'k8s-app': value });
  expect(buildSelfHostedComponentLabelQuery(component)).toBe(`k8s-app=${value}`);
});

test('each caller gets labels of its own', () => {
  expect(buildSelfhostedComponentLabels('foo')).not.toBe(buildSelfhostedComponentLabels('foo'));
});

test('the API server is converted first, and etcd never', () => {
  expect(CONTROL_PLANE_COMPONENTS).toEqual(['kube-apiserver', 'kube-controller-manager', 'kube-scheduler']);
});

import {
  isClusterError,
  type ValidatingAdmissionPolicyBindingObject,
  type ValidatingAdmissionPolicyObject,
} from '../../cluster/api.ts';
import { CONTROL_PLANE_NAMESPACE } from '../selfhosting/labels.ts';
import { hostLabel } from '../selfhosting/modern/facts.ts';
import type { StrategyContext } from './context.ts';
import type { Step } from './steps.ts';

const NAME = 'bootlace-hosted-control-plane';
const MANAGER = 'bootlace';
const COMPONENT = 'kube-apiserver';

/** Annotation of a Pod, or of an Eviction, by which somebody says that they mean it. */
export const DELETE_ALLOWED = 'bootlace.io/allow-delete';

const MESSAGE =
  'This Pod is part of the control plane, which may not be able to make it again. `bootlace control-plane roll --restart` ' +
  'on its node gives it another process, `bootlace control-plane rollback` brings the static Pods back. To delete it all ' +
  `the same, annotate the Pod with ${DELETE_ALLOWED}=true.`;

/** People, and whatever else is no part of the control plane: those that make and end Pods of DaemonSets are. */
const IS_STRANGER =
  "!(request.userInfo.username == 'system:kube-controller-manager' || " +
  "request.userInfo.username.startsWith('system:node:') || " +
  "request.userInfo.username.startsWith('system:serviceaccount:kube-system:'))";

/** Of many Pods that are deleted at once each is asked for without a name. */
const IS_HOSTED =
  "(oldObject != null ? oldObject.metadata.name : request.name).matches('^self-hosted-kube-(apiserver|controller-manager|scheduler)-')";

const allows = (object: string): string =>
  `has(${object}.metadata.annotations) && '${DELETE_ALLOWED}' in ${object}.metadata.annotations && ` +
  `${object}.metadata.annotations['${DELETE_ALLOWED}'] == 'true'`;

/** An error in it lets a request pass: who guards must not be able to hurt. */
export const GUARD: ValidatingAdmissionPolicyObject = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: NAME },
  spec: {
    failurePolicy: 'Ignore',
    matchConstraints: {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': CONTROL_PLANE_NAMESPACE } },
      resourceRules: [
        { apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['pods'] },
        { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods/eviction'] },
      ],
    },
    matchConditions: [
      { name: 'is-hosted', expression: IS_HOSTED },
      { name: 'is-stranger', expression: IS_STRANGER },
    ],
    validations: [
      {
        expression:
          `request.operation == 'DELETE' ? (has(oldObject.metadata.deletionTimestamp) || (${allows('oldObject')})) ` +
          `: (${allows('object')})`,
        message: MESSAGE,
        reason: 'Forbidden',
      },
    ],
  },
};

export const GUARD_BINDING: ValidatingAdmissionPolicyBindingObject = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: NAME },
  spec: { policyName: NAME, validationActions: ['Deny'] },
};

/**
 * Keeps people from taking away the API server that nothing on its node starts again, and the last controller-manager and
 * scheduler, which it takes to make another.
 */
export function guardStep(context: StrategyContext): Step {
  const { cluster, host } = context;

  async function remove(): Promise<void> {
    const { items: nodes } = await cluster.list({ kind: 'Node' });
    const isNeeded = nodes.some(
      ({ metadata }) => metadata.name !== host.nodeName && Object.hasOwn(metadata.labels ?? {}, hostLabel(COMPONENT)),
    );
    if (isNeeded) return;
    for (const { kind } of [GUARD_BINDING, GUARD])
      try {
        await cluster.delete({ kind, name: NAME });
      } catch (error) {
        if (!isClusterError(error, 'NOT_FOUND')) throw error;
      }
  }

  return {
    name: `${host.nodeName}/guard`,
    title: 'let the API refuse to delete or evict what it hosts of the control plane',
    about: {
      proves: 'the API has stored the policy and its binding',
      back: 'remove them, where no other node has a hosted control plane',
      seconds: 1,
    },
    run: async () => {
      for (const object of [GUARD, GUARD_BINDING]) await cluster.apply(object, { fieldManager: MANAGER, force: true });
    },
    undo: remove,
    finish: remove,
  };
}

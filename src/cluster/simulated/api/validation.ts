import type { AnyObject } from '../../api.ts';
import type { DaemonSet, Pod } from '../../objects.ts';
import { hostPortsOf } from './defaults.ts';
import { isSame } from '../../../core/same.ts';

/** What the API server says against an object, of that which decides whether a handover succeeds. */
export function faultOf(object: AnyObject, before: AnyObject | undefined): string | undefined {
  if (object.kind === 'DaemonSet') return daemonSetFault(object as DaemonSet, before as DaemonSet | undefined);
  if (object.kind === 'Pod') return podFault(object as unknown as Pod, before as unknown as Pod | undefined);
  return undefined;
}

function daemonSetFault({ spec }: DaemonSet, before: DaemonSet | undefined): string | undefined {
  const labels = spec.template.metadata.labels ?? {};
  const { matchLabels } = spec.selector;
  if (Object.keys(matchLabels).length === 0) return 'spec.selector: empty selector is invalid for daemonset';
  if (!Object.entries(matchLabels).every(([key, value]) => labels[key] === value))
    return 'spec.template.metadata.labels: `selector` does not match template `labels`';
  if (before !== undefined && !isSame(before.spec.selector, spec.selector)) return 'spec.selector: field is immutable';
  const { rollingUpdate } = spec.updateStrategy ?? {};
  const surges = isSome(rollingUpdate?.['maxSurge']);
  if (surges && hostPortsOf(spec.template.spec).length > 0)
    return 'spec.template.spec: may not have host ports when maxSurge is set';
  if (surges && isSome(rollingUpdate?.['maxUnavailable']))
    return 'spec.updateStrategy.rollingUpdate.maxSurge: may not be set when maxUnavailable is';
  if (rollingUpdate && !surges && !isSome(rollingUpdate['maxUnavailable']))
    return 'spec.updateStrategy.rollingUpdate.maxUnavailable: cannot be 0 when maxSurge is 0';
  if (spec.template.spec['restartPolicy'] !== 'Always')
    return 'spec.template.spec.restartPolicy: a DaemonSet takes Always alone';
  return podSpecFault(spec.template.spec);
}

/** Of Pods that may be more or fewer during an update: a number, or a percentage. */
function isSome(amount: unknown): boolean {
  return amount !== undefined && amount !== 0 && amount !== '0%';
}

function podFault({ metadata, spec }: Pod, before: Pod | undefined): string | undefined {
  // Of a running Pod little more than the image may be changed.
  if (before !== undefined && !isSame(withoutImages(before), withoutImages({ metadata, spec } as Pod)))
    return 'spec: may not change fields other than the images';
  return podSpecFault(spec);
}

function withoutImages({ spec }: Pod): unknown {
  return { ...spec, containers: spec.containers.map(({ image: _image, ...container }) => container) };
}

function podSpecFault({ containers }: Pod['spec']): string | undefined {
  if (containers.length === 0) return 'spec.containers: required value';
  const nameless = containers.find(({ image }) => !image);
  return nameless && `spec.containers[${nameless.name}].image: required value`;
}

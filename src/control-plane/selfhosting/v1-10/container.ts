import type { Container } from '../../../cluster/objects.ts';
import type { Draft, DraftPodSpec } from '../daemonset.ts';
import { SelfHostingError } from '../errors.ts';

/** The one container that mutators change; those after it stay as they are. */
export function firstContainer(podSpec: DraftPodSpec): Draft<Container> {
  // A manifest may say nothing at all where the type says a list.
  const containers: Draft<Container>[] | null | undefined = podSpec.containers;
  const container = containers?.[0];
  if (container) return container;
  throw new SelfHostingError(
    'CONTAINER_MISSING',
    'The Pod has no container, and the first one would have to be changed: look at `spec.containers` of the manifest.',
  );
}

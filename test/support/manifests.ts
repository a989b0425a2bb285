import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseDocuments } from '../../src/format/documents.ts';
import type { Container, Pod, PodSpec } from '../../src/cluster/objects.ts';
import type { Problem } from '../../src/core/problem.ts';

const folder = fileURLToPath(new URL('../golden/manifests/', import.meta.url));

export interface ManifestFile {
  readonly name: string;
  readonly component: string;
  readonly text: string;
  readonly pod: Pod;
}

/** Every manifest that kubeadm wrote for one of the three components, frozen at every depth. */
export const MANIFESTS: readonly ManifestFile[] = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => /^v.*kube-[a-z-]+\.yaml$/.test(file))
  .toSorted()
  .map((file) => {
    const text = readFileSync(folder + file, 'utf8');
    const name = file.replace(/\.yaml$/, '');
    return {
      name,
      component: name.slice(name.lastIndexOf('/') + 1),
      text,
      pod: frozen(parseDocuments(text)[0]!.value as Pod),
    };
  });

export function manifestText(name: string): string {
  return readFileSync(`${folder}${name}.yaml`, 'utf8');
}

/** A manifest as a plain object, the default configuration of Kubernetes 1.37 unless another is named. */
export function manifest(component: string, configuration = 'default', version = 'v1.37.2'): Pod {
  const value = parseDocuments(manifestText(`${version}/${configuration}/${component}`))[0]!.value;
  return frozen(JSON.parse(JSON.stringify(value)) as Pod);
}

/** The manifest with other fields in its spec. */
export function withSpec(pod: Pod, spec: Partial<PodSpec>): Pod {
  return frozen({ ...pod, spec: { ...pod.spec, ...spec } });
}

/** The manifest with other fields in the component's container. */
export function withContainer(pod: Pod, container: Partial<Container>): Pod {
  const [first, ...others] = pod.spec.containers;
  return withSpec(pod, { containers: [{ ...first!, ...container }, ...others] });
}

/** The manifest with flags at the end of its command. */
export function withFlags(pod: Pod, ...flags: readonly string[]): Pod {
  return withContainer(pod, { command: [...pod.spec.containers[0]!.command!, ...flags] });
}

export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) frozen(part);
    Object.freeze(value);
  }
  return value;
}

/** Problems as one line each. */
export function lines(problems: readonly Problem[]): readonly string[] {
  return problems.map(({ severity, code, path }) => `${severity} ${code} ${path}`);
}

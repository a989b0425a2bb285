import { UsageError } from '../../core/errors.ts';
import type { Problem } from '../../core/problem.ts';
import type { DaemonSet, Pod } from '../../cluster/objects.ts';
import { convertStaticPod, readManifest, relayPod, type Change, type Manifest } from '../../control-plane/index.ts';
import { buildDaemonSet } from '../../control-plane/selfhosting/daemonset.ts';
import { getDefaultMutators } from '../../control-plane/selfhosting/v1-10/mutators.ts';
import { readFlags, readForm, requireFile } from '../arguments.ts';
import { printChanges } from '../changes.ts';
import { nameOf, readDocuments } from '../input.ts';
import { STATUS, type Command, type Io, type Status } from '../io.ts';
import { painter, printProblems } from '../output.ts';
import { printYaml } from '../../format/yaml.ts';

const NAME = 'control-plane convert';
const FORMS = ['yaml', 'json'] as const;
const PROFILES = ['modern', 'v1.10'] as const;

export const controlPlaneConvert: Command = {
  summary: 'show the DaemonSet, or the relay, that a static Pod becomes',
  help: `Shows the DaemonSet that would host a component of the control plane in place of its static Pod.
Reads one file and changes nothing, on no node and in no cluster.

Examples:
  bootlace control-plane convert -f /etc/kubernetes/manifests/kube-scheduler.yaml
  bootlace control-plane convert -f kube-apiserver.yaml --node cp-1 --explain
  bootlace control-plane convert -f kube-apiserver.yaml --relay-port 6444

Flags:
  -f, --file MANIFEST      static Pod of kube-apiserver, kube-controller-manager or kube-scheduler, YAML or JSON;
                           - is standard input
  -o, --output FORM        yaml (default), json
      --explain            say on standard error which rule changed what, and why
      --node NAME          node that the manifest is from; the DaemonSet of an API server is of one node
      --relay-port N       show the relay instead: a second API server on port N, a static Pod that serves while
                           the first is replaced
      --profile NAME       modern (default): Kubernetes 1.33 to 1.37; v1.10: what kubeadm 1.10 made

The result goes to standard output alone, so it can be piped to kubectl; problems and --explain go to standard
error. A node hosts a component once it has the label of its nodeSelector: control-plane.bootlace.io/COMPONENT.
Exit status: 0 done, 2 usage or refused input.
`,
  run: runConvert,
};

const FLAGS = {
  file: { type: 'string', short: 'f' },
  output: { type: 'string', short: 'o' },
  explain: { type: 'boolean' },
  node: { type: 'string' },
  profile: { type: 'string' },
  'relay-port': { type: 'string' },
} as const;

interface Choice {
  readonly profile: (typeof PROFILES)[number];
  readonly node: string | undefined;
  readonly relayPort: number | undefined;
}

interface Result {
  readonly object?: DaemonSet | Pod | undefined;
  readonly changes: readonly Change[];
  readonly problems: readonly Problem[];
}

async function runConvert(args: readonly string[], io: Io): Promise<Status> {
  const flags = readFlags(args, FLAGS, NAME);
  const form = readForm(flags.output, FORMS, NAME);
  const choice: Choice = {
    profile: readForm(flags.profile, PROFILES, `${NAME} --profile`),
    node: flags.node,
    relayPort: readPort(flags['relay-port']),
  };
  refuseCombinations(choice, flags.explain ?? false);
  const file = requireFile(flags.file, NAME);
  const manifest = readManifest(await readDocuments(file, io));
  const { object, changes, problems } = convert(manifest, choice);
  const paint = painter(io.stderr, io.env);
  if (problems.length > 0) io.stderr.write(printProblems(problems, nameOf(file), paint));
  if (object === undefined) return STATUS.refused;
  if (flags.explain) io.stderr.write(printChanges(changes, paint));
  io.stdout.write(form === 'json' ? `${JSON.stringify(object, undefined, 2)}\n` : printYaml(object));
  return STATUS.done;
}

function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new UsageError(`--relay-port takes a number, not ${JSON.stringify(text)}`, 'Write a free port, as in 6444.');
}

function refuseCombinations({ profile, node, relayPort }: Choice, explain: boolean): void {
  const [flag] = [
    explain && '--explain',
    node !== undefined && '--node',
    relayPort !== undefined && '--relay-port',
  ].filter((given) => given !== false);
  if (profile === 'v1.10' && flag !== undefined)
    throw new UsageError(
      `${NAME} has no ${flag} with --profile v1.10`,
      'Leave the profile out: modern is the default.',
    );
  if (relayPort !== undefined && node !== undefined)
    throw new UsageError(
      `${NAME} takes --node or --relay-port`,
      'A relay is a static Pod: its node is where its file lies.',
    );
}

function convert({ pod, component, source, problems }: Manifest, choice: Choice): Result {
  if (pod === undefined || component === undefined) return { changes: [], problems };
  const settings = source === undefined ? {} : { source };
  if (choice.profile === 'v1.10')
    return { object: buildDaemonSet(component, pod.spec, getDefaultMutators()), changes: [], problems };
  if (choice.relayPort !== undefined) {
    const relay = relayPod(pod, { ...settings, port: choice.relayPort });
    return { object: relay.pod, changes: relay.changes, problems: relay.problems };
  }
  const conversion = convertStaticPod(pod, {
    ...settings,
    ...(choice.node !== undefined && { nodeName: choice.node }),
  });
  return { object: conversion.daemonSet, changes: conversion.changes, problems: conversion.problems };
}

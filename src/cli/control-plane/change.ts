import type { Change, RollChange } from '../../control-plane/operations/change.ts';
import { claimsPlan, planIn } from '../../control-plane/operations/plan-file.ts';
import type { Plan } from '../../control-plane/operations/plan.ts';
import { parseManifest } from '../../control-plane/manifest.ts';
import { CONTROL_PLANE_COMPONENTS, type ControlPlaneComponent } from '../../control-plane/selfhosting/labels.ts';
import { DEFAULT_RELAY_PORT } from '../../control-plane/selfhosting/modern/relay-options.ts';
import { UsageError } from '../../core/errors.ts';
import { parseDocuments } from '../../format/documents.ts';
import { readWhole } from '../input.ts';
import type { Io } from '../io.ts';
import { readNumber } from './settings.ts';

export const CHANGE_FLAGS = {
  'relay-port': { type: 'string' },
  'no-snapshot': { type: 'boolean' },
} as const;

export const ROLL_FLAGS = {
  component: { type: 'string', multiple: true },
  'set-flag': { type: 'string', multiple: true },
  'remove-flag': { type: 'string', multiple: true },
  image: { type: 'string' },
  restart: { type: 'boolean' },
  force: { type: 'boolean' },
  'update-kubeadm-config': { type: 'boolean' },
  file: { type: 'string', short: 'f' },
} as const;

export const CHANGE_HELP = `      --relay-port N       port of the second API server; default ${DEFAULT_RELAY_PORT}
      --no-snapshot        etcd is not saved before anything changes`;

export const ROLL_HELP = `      --component NAME     what is rolled, may be given several times; default kube-apiserver, or that of the manifest
      --set-flag NAME=VALUE, --remove-flag NAME
                           edits of its flags, may be given several times
      --image IMAGE        another image
  -f, --file FILE          a whole manifest; or a plan, which is then carried out as it was made
      --restart            no edit: another process of the same definition
      --force              takes what two API servers should agree in while both serve
      --update-kubeadm-config
                           makes the same edit where kubeadm keeps its configuration`;

export interface RollFlags {
  readonly component?: readonly string[] | undefined;
  readonly 'set-flag'?: readonly string[] | undefined;
  readonly 'remove-flag'?: readonly string[] | undefined;
  readonly image?: string | undefined;
  readonly restart?: boolean | undefined;
  readonly force?: boolean | undefined;
  readonly 'update-kubeadm-config'?: boolean | undefined;
  readonly file?: string | undefined;
}

export interface ChangeFlags {
  readonly 'relay-port'?: string | undefined;
  readonly 'no-snapshot'?: boolean | undefined;
}

/** A change as the flags ask for it, or as the plan that they name does. */
export interface Wanted {
  readonly change: Change;
  readonly plan?: Plan;
}

function settingsOf(flags: ChangeFlags): { readonly relayPort?: number; readonly snapshot?: boolean } {
  const port = flags['relay-port'];
  return {
    ...(port !== undefined && { relayPort: readNumber('--relay-port', port, DEFAULT_RELAY_PORT, 1, 65_535) }),
    ...(flags['no-snapshot'] && { snapshot: false }),
  };
}

export async function readPivot(
  flags: ChangeFlags & Pick<RollFlags, 'file'>,
  io: Io,
  command: string,
): Promise<Wanted> {
  const { file } = flags;
  if (file === undefined) return { change: { verb: 'pivot', ...settingsOf(flags) } };
  const plan = planOf(await textOf(file, io), file);
  if (plan === undefined)
    throw new UsageError(`${file} holds no plan`, `Make one with \`bootlace control-plane plan -o yaml\`.`);
  return onlyPlan(plan, 'pivot', flags, command);
}

export async function readRoll(flags: ChangeFlags & RollFlags, io: Io, command: string): Promise<Wanted> {
  const { file } = flags;
  const text = file === undefined ? undefined : await textOf(file, io);
  const plan = text === undefined ? undefined : planOf(text, file!);
  if (plan !== undefined) return onlyPlan(plan, 'roll', flags, command);
  const setFlags = readSetFlags(flags['set-flag'] ?? []);
  const removeFlags = (flags['remove-flag'] ?? []).map((name) => flagName(name, '--remove-flag'));
  const hasEdits = Object.keys(setFlags).length > 0 || removeFlags.length > 0 || flags.image !== undefined;
  const manifest = text === undefined ? undefined : await manifestOf(text, file!);
  if (!hasEdits && manifest === undefined && !flags.restart)
    throw new UsageError(
      `${command} needs something to change`,
      'Write --set-flag NAME=VALUE, --remove-flag NAME, --image IMAGE or -f MANIFEST; --restart changes nothing.',
    );
  if (flags.restart && (hasEdits || manifest !== undefined))
    throw new UsageError('--restart is given with an edit', 'Give one of the two: an edit starts it again as well.');
  const change: RollChange = {
    verb: 'roll',
    components: componentsOf(flags.component, manifest?.component, command),
    edits: {
      ...(Object.keys(setFlags).length > 0 && { setFlags }),
      ...(removeFlags.length > 0 && { removeFlags }),
      ...(flags.image !== undefined && { image: flags.image }),
      ...(manifest && { pod: manifest.pod }),
    },
    ...(flags.force && { force: true }),
    ...(flags['update-kubeadm-config'] && { updateKubeadmConfig: true }),
    ...settingsOf(flags),
  };
  if (change.edits.image !== undefined && change.components.length > 1)
    throw new UsageError('one image is given for several components', 'Roll them one after the other.');
  return { change };
}

/** Whether flags speak of a roll. */
export function speaksOfRoll(flags: RollFlags): boolean {
  const { component, 'set-flag': set, 'remove-flag': remove, image, restart, file } = flags;
  return [component, set, remove, image, restart, file].some((value) => value !== undefined);
}

function componentsOf(
  given: readonly string[] | undefined,
  ofManifest: ControlPlaneComponent | undefined,
  command: string,
): readonly ControlPlaneComponent[] {
  const names = given ?? [ofManifest ?? 'kube-apiserver'];
  const found = names.map((name) => {
    const known = CONTROL_PLANE_COMPONENTS.find((one) => one === name);
    if (known !== undefined) return known;
    throw new UsageError(
      `${command} knows no component ${JSON.stringify(name)}`,
      `Known: ${CONTROL_PLANE_COMPONENTS.join(', ')}.`,
    );
  });
  if (new Set(found).size < found.length) throw new UsageError('a component is given twice', 'Give each once.');
  if (ofManifest !== undefined && (found.length > 1 || found[0] !== ofManifest))
    throw new UsageError(`the manifest is of ${ofManifest}`, 'Leave --component out.');
  // As in the order in which Kubernetes upgrades them.
  return CONTROL_PLANE_COMPONENTS.filter((component) => found.includes(component));
}

function readSetFlags(given: readonly string[]): Readonly<Record<string, string>> {
  const flags = new Map<string, string>();
  for (const text of given) {
    const at = text.indexOf('=', 1);
    if (at < 0)
      throw new UsageError(
        `--set-flag takes NAME=VALUE, not ${JSON.stringify(text)}`,
        'Write it as in --set-flag v=4.',
      );
    const name = flagName(text.slice(0, at), '--set-flag');
    if (flags.has(name)) throw new UsageError(`--set-flag gives ${name} twice`, 'Give each flag once.');
    flags.set(name, text.slice(at + 1));
  }
  return Object.fromEntries([...flags].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function flagName(text: string, flag: string): string {
  const name = text.replace(/^--/, '').replaceAll('_', '-');
  if (/^[a-z][a-z0-9-]*$/.test(name)) return name;
  throw new UsageError(
    `${flag} is given ${JSON.stringify(text)}, which is no name of a flag`,
    'Write it without a value and in lower case, as in v.',
  );
}

async function textOf(file: string, io: Io): Promise<string> {
  const text = await readWhole(file, io);
  if (typeof text === 'string') return text;
  throw new UsageError(`${file} cannot be read: ${text.message.replace(/\.$/, '')}`, text.hint);
}

function planOf(text: string, file: string): Plan | undefined {
  const { value, problems = [] } = parseDocuments(text)[0] ?? {};
  if (problems.length > 0 || !claimsPlan(value)) return undefined;
  const plan = planIn(value);
  if (plan !== undefined) return plan;
  throw new UsageError(
    `${file} holds a plan that cannot be read`,
    'Make a new one with `bootlace control-plane plan -o yaml`.',
  );
}

function onlyPlan(plan: Plan, verb: Change['verb'], flags: object, command: string): Wanted {
  if (plan.change.verb !== verb)
    throw new UsageError(
      `the plan is of a ${plan.change.verb}`,
      `Write \`bootlace control-plane ${plan.change.verb} -f FILE\`.`,
    );
  const names = [...Object.keys(CHANGE_FLAGS), ...Object.keys(ROLL_FLAGS)].filter((name) => name !== 'file');
  const other = names.find((name) => (flags as Record<string, unknown>)[name] !== undefined);
  if (other !== undefined)
    throw new UsageError(
      `${command} is given a plan and --${other}`,
      'A plan says all: make a new one with that flag.',
    );
  return { change: plan.change, plan };
}

async function manifestOf(text: string, file: string) {
  const { pod, component, problems } = await parseManifest(text);
  if (pod !== undefined && component !== undefined) return { pod, component };
  const first = problems.find(({ severity }) => severity === 'error');
  throw new UsageError(
    `${file} holds neither a plan nor a manifest of a control plane: ${first?.message ?? 'it is of no known component.'}`.replace(
      /\.$/,
      '',
    ),
    first?.hint ?? 'Name the manifest of a component, or a plan.',
  );
}

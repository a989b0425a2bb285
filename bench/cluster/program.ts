import { resolve } from 'node:path';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { alone, nodeOf, openBench, openCluster, type Bench, type Cluster } from './bench.ts';
import { build } from './build.ts';
import { checkCluster } from './checks.ts';
import { handOver } from './commands.ts';
import { down } from './down.ts';
import { BenchError, usageError } from './errors.ts';
import { kubectlCommand } from './kubectl.ts';
import { bootNode, cutPower, enterLan, enterNode, isOn } from './machines.ts';
import { runProbe, type ProbeCommand } from './probe/command.ts';
import { createProgress, type Progress } from './progress.ts';
import { missingFor } from './requirements.ts';
import { readSettings, settingsText } from './settings.ts';
import { readStatus, statusText } from './status.ts';
import { equipmentOf, up } from './up.ts';
import { DEFAULT_KUBERNETES, kubernetesVersion } from './versions.ts';

/** What the program needs of the process that runs it. */
export interface Process {
  readonly stdout: { readonly isTTY: boolean; write(text: string): void; readonly columns: number };
  readonly stderr: { write(text: string): void };
  /** Default state folder and cache folder. */
  readonly state: string;
  readonly cache: string;
  /** Where the user stands: npm runs its scripts somewhere else. */
  readonly cwd: string;
  /** Milliseconds since some moment. */
  readonly now: () => number;
  /** Ends work when the user wants that. */
  readonly signal: AbortSignal;
}

const USAGE = `usage: npm run cluster -- [--state DIR] COMMAND

  build [--kubernetes VERSION]     build the programs of a release, ${DEFAULT_KUBERNETES} by default
  up    [--kubernetes VERSION] [--control-planes N] [--workers M] [--ip-family ipv4|ipv6|dual]
        [--proxy iptables|nftables|none] [--host-firewall]
  status [-o json]                 what is up
  exec NODE -- COMMAND             run a command on a node; \`outside\` is this computer in the nodes' network
  kubectl ARGUMENTS…               run kubectl as the cluster's administrator
  power-cut NODE                   end everything on a node at once
  boot NODE [--wait]               boot it from its disk; with --wait until the whole cluster serves
  probe [--seconds N] [-o json|timeline]   measure what clients see, until Ctrl-C without --seconds
  down [--all]                     remove the cluster, or with --all everything but built programs

With npm's own --silent, as in \`npm run --silent cluster -- kubectl get nodes\`, nothing but the command's own output
is printed.
`;

interface Call {
  readonly bench: Bench;
  readonly args: readonly string[];
  readonly process: Process;
  readonly progress: Progress;
}

const COMMANDS: Readonly<Record<string, (call: Call) => Promise<number>>> = {
  build: async ({ bench, args, process, progress }) => {
    const { kubernetes } = flags(args, { kubernetes: { type: 'string' } });
    const version = kubernetesVersion(kubernetes ?? DEFAULT_KUBERNETES);
    const [missing] = await missingFor('build');
    if (missing !== undefined) throw new BenchError(missing, { status: 3 });
    const built = await build(bench, version, progress, process.signal);
    process.stdout.write(`${built.kubernetes}\n`);
    return 0;
  },
  up: async (call) => {
    const { bench, args, process, progress } = call;
    const settings = readSettings(
      flags(args, {
        kubernetes: { type: 'string' },
        'control-planes': { type: 'string' },
        workers: { type: 'string' },
        'ip-family': { type: 'string' },
        proxy: { type: 'string' },
        'host-firewall': { type: 'boolean' },
      }),
    );
    return await changing(bench, async () => {
      const cluster = await up(bench, settings, progress, process.signal);
      progress.say(`up: ${settingsText(settings)}`);
      process.stdout.write(statusText(await readStatus(cluster)));
      return 0;
    });
  },
  status: async ({ bench, args, process }) => {
    const { output } = flags(args, { output: { type: 'string', short: 'o' } });
    const status = await readStatus(await openCluster(bench));
    process.stdout.write(formOf(output, ['json']) ? `${JSON.stringify(status, undefined, 2)}\n` : statusText(status));
    return 0;
  },
  exec: async ({ bench, args, process }) => {
    const [name, separator, ...command] = args;
    const cluster = await openCluster(bench);
    if (name !== 'outside') nodeOf(cluster, name);
    const given = separator === '--' ? command : args.slice(1);
    if (given.length === 0) throw usageError('exec needs a command', 'As in `exec cp1 -- crictl ps`.');
    const inside = name === 'outside' ? await enterLan(cluster, given) : await enterNode(cluster, name!, given);
    return await handOver(inside, process.cwd);
  },
  kubectl: async ({ bench, args, process }) =>
    await handOver(await kubectlCommand(await openCluster(bench), args), process.cwd),
  'power-cut': async ({ bench, args }) =>
    await changing(bench, async () => {
      const cluster = await openCluster(bench);
      await cutPower(cluster, nodeOf(cluster, onlyName(args)));
      return 0;
    }),
  boot: async ({ bench, args, process, progress }) =>
    await changing(bench, async () => {
      const cluster = await openCluster(bench);
      const isWaiting = args.includes('--wait');
      const node = nodeOf(cluster, onlyName(args.filter((arg) => arg !== '--wait')));
      if (await isOn(cluster, node)) throw new BenchError(`${node.name} is on`);
      await progress.step(`booting ${node.name}`, async () => bootNode(cluster, node, await equipmentOf(cluster)));
      if (isWaiting) await checkCluster(cluster, progress, process.signal);
      return 0;
    }),
  probe: async ({ bench, args, process, progress }) => {
    const { seconds, output } = flags(args, { seconds: { type: 'string' }, output: { type: 'string', short: 'o' } });
    if (seconds !== undefined && !/^[1-9]\d{0,4}$/.test(seconds)) {
      throw usageError('--seconds takes a whole number up to 99,999', 'As in --seconds 60.');
    }
    const cluster: Cluster = await openCluster(bench);
    const options: ProbeCommand = {
      ...(seconds !== undefined && { seconds: Number(seconds) }),
      form: formOf(output, ['json', 'timeline']) ?? (process.stdout.isTTY ? 'timeline' : 'json'),
      columns: process.stdout.columns,
      write: (text) => process.stdout.write(text),
      progress,
      signal: process.signal,
    };
    return await alone(`${bench.cgroup}/probe`, () => runProbe(cluster, options));
  },
  down: async ({ bench, args, progress }) => {
    const { all } = flags(args, { all: { type: 'boolean' } });
    await down(bench, progress, all ?? false);
    return 0;
  },
};

/** Runs a command of the bench and returns its exit status. */
export async function runBench(argv: readonly string[], process: Process): Promise<number> {
  try {
    const { state, command, args } = split(argv, process.state);
    if (command === undefined || command === '--help' || command === 'help') {
      process.stdout.write(USAGE);
      return command === undefined ? 2 : 0;
    }
    const run = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
    if (run === undefined) {
      throw usageError(`no command ${JSON.stringify(command)}`, `Known: ${Object.keys(COMMANDS).join(', ')}.`);
    }
    const progress = createProgress((text) => process.stderr.write(text), process.now);
    const bench = await openBench(resolve(process.cwd, state), process.cache, command === 'up');
    return await run({ bench, args, process, progress });
  } catch (error) {
    if (process.signal.aborted) {
      process.stderr.write('cluster: interrupted; `npm run cluster -- down` removes what is there\n');
      return 130;
    }
    if (!(error instanceof BenchError)) throw error;
    process.stderr.write(`cluster: ${error.message}\n`);
    if (error.cause instanceof Error) process.stderr.write(`    ${error.cause.message}\n`);
    if (error.hint !== undefined) process.stderr.write(`    ${error.hint}\n`);
    return error.status;
  }
}

/** Flags of the bench itself stand before the command: behind kubectl and exec everything is the command's own. */
function split(
  argv: readonly string[],
  state: string,
): { state: string; command: string | undefined; args: readonly string[] } {
  if (argv[0] === '--state') {
    if (argv[1] === undefined) throw usageError('--state needs a folder', 'As in --state /tmp/bench.');
    return { state: argv[1], command: argv[2], args: argv.slice(3) };
  }
  return { state, command: argv[0], args: argv.slice(1) };
}

function flags<F extends NonNullable<ParseArgsConfig['options']>>(args: readonly string[], options: F) {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw usageError(error instanceof Error ? error.message : String(error), 'Run `npm run cluster -- help`.');
  }
}

function onlyName(args: readonly string[]): string | undefined {
  if (args.length > 1) throw usageError(`what is ${JSON.stringify(args[1])}?`, 'One node at a time.');
  return args[0];
}

function formOf<T extends string>(output: string | undefined, known: readonly T[]): T | undefined {
  const form = known.find((one) => one === output);
  if (form !== undefined || output === undefined) return form;
  throw usageError(`no output form ${JSON.stringify(output)}`, `Known: ${known.join(', ')}.`);
}

/** One command at a time may change the machines of a bench. */
async function changing<T>(bench: Bench, work: () => Promise<T>): Promise<T> {
  return await alone(bench.cgroup, work);
}

import { collectGarbage } from '../controllers/garbage.ts';
import { runDaemonSets } from '../controllers/daemonsets.ts';
import { schedulePods } from '../controllers/scheduler.ts';
import type { Process, Program } from '../process.ts';
import { apiServer } from './api-server.ts';
import { candidate } from './candidate.ts';
import { etcd } from './etcd.ts';
import { textFlag } from './flags.ts';

/** From this minor version of Kubernetes on the controller-manager releases its lease when it is told to end. */
const CONTROLLER_MANAGER_RELEASES = 37;

const PROGRAMS: Readonly<Record<string, Program>> = {
  'kube-apiserver': apiServer,
  'kube-controller-manager': candidate({
    component: 'kube-controller-manager',
    port: 10257,
    releases: (process) => minorOf(process) >= CONTROLLER_MANAGER_RELEASES || hasGate(process),
    readsFirst: false,
    lead: (process, world) => {
      runDaemonSets(process, world);
      collectGarbage(process, world);
    },
  }),
  'kube-scheduler': candidate({
    component: 'kube-scheduler',
    port: 10259,
    releases: () => true,
    readsFirst: true,
    lead: schedulePods,
  }),
  etcd,
};

/** What a container runs, by the name of its executable; nothing for what is not known here. */
export function programOf(argv: readonly string[]): Program | undefined {
  const [path = ''] = argv;
  const name = path.slice(path.lastIndexOf('/') + 1);
  return Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
}

/** The minor version that the tag of an image names; none counts as old. */
function minorOf({ image }: Process): number {
  return Number(/:v1\.(\d+)/.exec(image)?.[1] ?? 0);
}

function hasGate(process: Process): boolean {
  return (textFlag(process, 'feature-gates') ?? '').includes('ControllerManagerReleaseLeaderElectionLockOnExit=true');
}

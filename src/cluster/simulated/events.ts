/** What happened in a simulated cluster. Times are milliseconds since it began. */
export type SimulatedEvent =
  | ProcessEvent
  /** Who leads from now on; nobody where it is empty. */
  | { readonly at: number; readonly type: 'leader'; readonly component: string; readonly holder: string }
  | {
      readonly at: number;
      readonly type: 'redirect';
      readonly node: string;
      readonly state: 'set' | 'removed' | 'expired';
    }
  | { readonly at: number; readonly type: 'power'; readonly node: string; readonly state: 'off' | 'on' }
  | { readonly at: number; readonly type: 'kubelet'; readonly node: string; readonly state: 'started' | 'stopped' }
  /** The kubelet will not run a Pod. */
  | {
      readonly at: number;
      readonly type: 'rejected';
      readonly node: string;
      readonly pod: string;
      readonly reason: string;
    }
  | { readonly at: number; readonly type: 'evicted'; readonly node: string; readonly pod: string };

export interface ProcessEvent {
  readonly at: number;
  readonly type: 'process';
  readonly node: string;
  readonly pid: number;
  /** Name of its program, such as kube-apiserver. */
  readonly program: string;
  readonly pod: string;
  /** UID of its Pod. */
  readonly podUid: string;
  /** How many containers its Pod had before. */
  readonly attempt: number;
  readonly state: 'started' | 'listening' | 'ready' | 'stopping' | 'ended';
  readonly port?: number;
  /** Of one that has ended; 137 where it was killed. */
  readonly exitCode?: number;
  readonly message?: string;
}

/** Two numbers, between which one is drawn. */
export type Span = readonly [low: number, high: number];

/**
 * How long things take, in milliseconds. A number is either what Kubernetes has as its default, or was measured on real
 * clusters of Kubernetes 1.35 (docs/simulated-cluster.md has the measurements); its line says which.
 */
export interface Timings {
  /** From the start of an API server to the moment that it listens. Measured: 60 to 130. */
  readonly serverListens: Span;
  /** From there until it answers at all: connections wait so long. Measured: 900 to 1100, up to 1800 at boot. */
  readonly serverAnswers: Span;
  /**
   * From there until it knows who may do what: it answers 403 so long, and first of all to those that have waited.
   * Measured: 100 to 700.
   */
  readonly serverAuthorizes: Span;
  /** From there until /readyz is ok. Measured: 1.9 to 2.8 s from the moment that it listens. */
  readonly serverReady: Span;
  /** From SIGTERM to its end where no client holds a connection for long. Measured: 1150 to 1170. */
  readonly serverEnds: Span;
  /** From SIGTERM until it has cut its watches. Reasoned: what it did last is still heard. */
  readonly serverCutsWatches: Span;
  /** From the start of another component to the moment that it listens. Measured: 200. */
  readonly componentListens: Span;
  /** From the start of etcd to the moment that it answers. Measured: 150 to 250. */
  readonly etcdAnswers: Span;
  /** From the moment that a process finds its port taken to its end. Measured: 20 to 60. */
  readonly bindFails: Span;
  /** What a component that is no API server needs to end. Measured: 40 to 70. */
  readonly componentEnds: Span;

  /** One request with its answer, on a server that has nothing else to do. Measured. */
  readonly request: Span;
  /** Until a change is seen by those who watch for it. Measured. */
  readonly watch: Span;
  /** Until a bookmark follows a quiet minute. Default of the API server. */
  readonly bookmark: number;
  /** How often an API server looks whether its endpoint is in the Service of the API. Default of the API server. */
  readonly reconcileEndpoints: number;
  /**
   * First and longest pause before a client that watches asks again, doubling, with up to as much again by chance.
   * Defaults of client-go.
   */
  readonly reflector: { readonly first: number; readonly longest: number };

  /** Until the kubelet has noticed a change in its manifests folder. Measured: 50 to 80. */
  readonly noticeManifest: Span;
  /** How often the kubelet looks at the whole folder. Default of the kubelet. */
  readonly scanManifests: number;
  /** How often the kubelet asks the container runtime what became of its containers. Default of the kubelet. */
  readonly relist: number;
  /** From the decision to start a Pod to its first process: sandbox, network, container. Measured: 350 to 450. */
  readonly startPod: Span;
  /** The same for one more container in a sandbox that is there. Measured: 100. */
  readonly restartContainer: Span;
  /** From the end of the last process of a Pod to the moment that the kubelet is through with it. Measured: 300 to 800. */
  readonly cleanUpPod: Span;
  /**
   * How often the kubelet tries again to start a static Pod whose predecessor still ends. Default of the kubelet: 10 s and
   * up to half as much again; measured: 11.5 to 15 s.
   */
  readonly retryPod: Span;
  /** From a change of a Pod to the moment that the kubelet reports it. Measured: 200 to 400. */
  readonly reportStatus: Span;
  /** First pause before a container that failed is started again, and the longest. Defaults of the kubelet. */
  readonly backOff: { readonly first: number; readonly longest: number; readonly forgottenAfter: number };
  /** How much of its pause later than that a container is started. Measured: 0.1 to 0.22. */
  readonly backOffLate: Span;
  /** From the end of a kubelet to the next one that works, by whatever keeps it alive. Measured: 900 to 1000. */
  readonly restartKubelet: Span;
  /** Reasoned: a registry nearby. */
  readonly pullImage: Span;
  /** From power on to a kubelet that works. Measured: 900 to 1500. */
  readonly boot: Span;

  /** How long a controller or the scheduler takes to act on what it sees. Measured. */
  readonly controller: Span;
  /** Until kube-proxy has written what it has seen. Measured: 100 to 200 with the time until it sees it. */
  readonly proxy: Span;
  /** How often a load balancer asks whether a server is ready. Default of HAProxy. */
  readonly balancerCheck: number;

  /** Leader election of controller-manager and scheduler. Defaults of both; flags may say otherwise. */
  readonly lease: { readonly duration: number; readonly renewDeadline: number; readonly retry: number };
}

/** Factor of the longest pause between two tries of a candidate: client-go adds up to 1.2 times the period. */
export const LEASE_JITTER = 1.2;

export const TIMINGS: Timings = {
  serverListens: [60, 130],
  serverAnswers: [900, 1100],
  serverAuthorizes: [100, 700],
  serverReady: [600, 1000],
  serverEnds: [1150, 1170],
  serverCutsWatches: [100, 200],
  componentListens: [150, 250],
  etcdAnswers: [150, 250],
  bindFails: [20, 60],
  componentEnds: [40, 70],

  request: [3, 12],
  watch: [5, 40],
  bookmark: 60_000,
  reconcileEndpoints: 10_000,
  reflector: { first: 800, longest: 30_000 },

  noticeManifest: [40, 80],
  scanManifests: 20_000,
  relist: 1000,
  startPod: [350, 430],
  restartContainer: [80, 150],
  cleanUpPod: [300, 800],
  retryPod: [11_000, 15_000],
  reportStatus: [150, 400],
  backOff: { first: 10_000, longest: 300_000, forgottenAfter: 600_000 },
  backOffLate: [0.05, 0.25],
  restartKubelet: [900, 1100],
  pullImage: [2000, 6000],
  boot: [900, 1500],

  controller: [20, 100],
  proxy: [50, 150],
  balancerCheck: 2000,

  lease: { duration: 15_000, renewDeadline: 10_000, retry: 2000 },
};

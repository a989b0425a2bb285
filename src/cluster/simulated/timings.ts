/**
 * How long things take, in milliseconds. Where two numbers stand, each time is drawn between them. A number is either
 * what Kubernetes has as its default, which its source says, or measured on real clusters of Kubernetes 1.35; which of
 * them, its line says.
 */
export type Span = readonly [low: number, high: number];

export interface Timings {
  /** From the start of an API server to the moment that it listens. Measured. */
  readonly serverListens: Span;
  /** From there until it answers at all: connections wait so long. Measured. */
  readonly serverAnswers: Span;
  /** From there until it knows who may do what: it answers 403 so long. Measured. */
  readonly serverAuthorizes: Span;
  /** From there until /readyz is ok. Measured. */
  readonly serverReady: Span;
  /** From the start of another component to the moment that it listens, and then runs for its lease. Measured. */
  readonly componentListens: Span;
  /** From the start of etcd to the moment that it answers. Measured. */
  readonly etcdAnswers: Span;
  /** From the moment that a process finds its port taken to its end. Measured. */
  readonly bindFails: Span;
  /** What a component that is no API server needs to end. Measured. */
  readonly componentEnds: Span;

  /** One request with its answer, on a server that has nothing else to do. Measured. */
  readonly request: Span;
  /** Until a change is seen by those who watch for it. Measured. */
  readonly watch: Span;
  /** Until a bookmark follows a quiet minute. Default of the API server. */
  readonly bookmark: number;
  /** How often an API server looks whether its endpoint is in the Service of the API. Default of the API server. */
  readonly reconcileEndpoints: number;

  /** Until the kubelet has noticed a change in its manifests folder. Measured. */
  readonly noticeManifest: Span;
  /** How often the kubelet looks at the whole folder. Default of the kubelet. */
  readonly scanManifests: number;
  /** How often the kubelet asks the container runtime what became of its containers. Default of the kubelet. */
  readonly relist: number;
  /** From the decision to start a Pod to the start of its first process: sandbox, network, container. Measured. */
  readonly startPod: Span;
  /** The same for one more container in a sandbox that is there. Measured. */
  readonly restartContainer: Span;
  /** From the end of the last process of a Pod to the moment that the kubelet is through with it. Measured. */
  readonly cleanUpPod: Span;
  /** From there to the start of a static Pod of the same name, which waited for it. Measured. */
  readonly replaceStaticPod: Span;
  /** First pause before a container that failed is started again, and the longest. Defaults of the kubelet. */
  readonly backOff: { readonly first: number; readonly longest: number; readonly forgottenAfter: number };
  /** How much later than its pause says a container is started: the kubelet looks at a Pod now and then. Measured. */
  readonly backOffLate: Span;
  /** From the end of a kubelet to the start of the next one, by whatever keeps it alive. Measured. */
  readonly restartKubelet: Span;
  readonly pullImage: Span;
  /** From power on to the start of the kubelet. Measured. */
  readonly boot: Span;

  /** How long a controller or the scheduler takes to act on what it sees. Measured. */
  readonly controller: Span;
  /** Until kube-proxy has written what changed. Measured. */
  readonly proxy: Span;
  /** How often a load balancer asks whether a server is ready. Default of HAProxy. */
  readonly balancerCheck: number;

  /** Leader election of controller-manager and scheduler. Defaults of both; flags may say otherwise. */
  readonly lease: { readonly duration: number; readonly renewDeadline: number; readonly retry: number };
}

/** Factor of the longest pause between two tries of a candidate: client-go adds up to 1.2 times the period. */
export const LEASE_JITTER = 1.2;

export const TIMINGS: Timings = {
  serverListens: [600, 900],
  serverAnswers: [900, 1300],
  serverAuthorizes: [500, 1000],
  serverReady: [600, 1200],
  componentListens: [500, 900],
  etcdAnswers: [800, 1500],
  bindFails: [50, 150],
  componentEnds: [20, 100],

  request: [3, 12],
  watch: [5, 40],
  bookmark: 60_000,
  reconcileEndpoints: 10_000,

  noticeManifest: [50, 1000],
  scanManifests: 20_000,
  relist: 1000,
  startPod: [700, 1200],
  restartContainer: [250, 500],
  cleanUpPod: [500, 1500],
  replaceStaticPod: [1000, 2500],
  backOff: { first: 10_000, longest: 300_000, forgottenAfter: 600_000 },
  backOffLate: [0, 1000],
  restartKubelet: [1000, 2000],
  pullImage: [2000, 6000],
  boot: [3000, 5000],

  controller: [20, 150],
  proxy: [100, 1000],
  balancerCheck: 2000,

  lease: { duration: 15_000, renewDeadline: 10_000, retry: 2000 },
};

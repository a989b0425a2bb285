import { isMapping } from '../../../core/mapping.ts';

/** Says where a value has not the type that Kubernetes decodes, if that is so. */
type Check = (value: unknown, path: string) => string | undefined;

const text: Check = (value, path) => (typeof value === 'string' ? undefined : `${path}: has to be a text`);
const integer: Check = (value, path) => (Number.isInteger(value) ? undefined : `${path}: has to be a whole number`);
const flag: Check = (value, path) => (typeof value === 'boolean' ? undefined : `${path}: has to be true or false`);
const quantity: Check = (value, path) => (typeof value === 'number' ? undefined : text(value, path));
const port: Check = (value, path) => (Number.isInteger(value) ? undefined : text(value, path));

function listOf(check: Check): Check {
  return (value, path) =>
    Array.isArray(value)
      ? first(value.map((item: unknown, index) => check(item, `${path}[${index}]`)))
      : `${path}: has to be a list`;
}

function mappingOf(check: Check): Check {
  return (value, path) =>
    isMapping(value)
      ? first(Object.entries(value).map(([key, part]) => check(part, `${path}.${key}`)))
      : `${path}: has to be a mapping`;
}

/** A mapping with known fields among others. */
function fields(required: Readonly<Record<string, Check>>, optional: Readonly<Record<string, Check>> = {}): Check {
  return (value, path) =>
    isMapping(value)
      ? first([
          ...Object.entries(required).map(([name, check]) =>
            value[name] === undefined ? `${path}.${name}: required value` : check(value[name], `${path}.${name}`),
          ),
          ...Object.entries(optional).map(([name, check]) =>
            value[name] === undefined ? undefined : check(value[name], `${path}.${name}`),
          ),
        ])
      : `${path}: ${value === undefined ? 'required value' : 'has to be a mapping'}`;
}

function first(faults: readonly (string | undefined)[]): string | undefined {
  return faults.find((fault) => fault !== undefined);
}

const anything = fields({});
const texts = mappingOf(text);
const probe = fields(
  {},
  {
    httpGet: fields({ port }, { host: text, path: text, scheme: text }),
    initialDelaySeconds: integer,
    periodSeconds: integer,
    timeoutSeconds: integer,
    failureThreshold: integer,
  },
);
const container = fields(
  { name: text },
  {
    image: text,
    command: listOf(text),
    args: listOf(text),
    env: listOf(fields({ name: text }, { value: text, valueFrom: fields({}, { fieldRef: anything }) })),
    ports: listOf(fields({ containerPort: integer }, { name: text, hostPort: integer, protocol: text })),
    volumeMounts: listOf(anything),
    resources: fields({}, { requests: mappingOf(quantity), limits: mappingOf(quantity) }),
    livenessProbe: probe,
    readinessProbe: probe,
    startupProbe: probe,
  },
);
const podSpec = fields(
  { containers: listOf(container) },
  {
    initContainers: listOf(container),
    volumes: listOf(fields({ name: text })),
    nodeSelector: texts,
    nodeName: text,
    affinity: anything,
    tolerations: listOf(fields({}, { key: text, operator: text, value: text, effect: text })),
    hostNetwork: flag,
    dnsPolicy: text,
    restartPolicy: text,
    priority: integer,
    priorityClassName: text,
    terminationGracePeriodSeconds: integer,
  },
);
const metadata = { name: text, generateName: text, namespace: text, labels: texts, annotations: texts };
const pod = fields({ metadata: fields({}, metadata), spec: podSpec });
const daemonSet = fields({
  metadata: fields({}, metadata),
  spec: fields(
    {
      selector: fields({ matchLabels: texts }),
      template: fields({ metadata: fields({}, metadata), spec: podSpec }),
    },
    { updateStrategy: fields({ type: text }, { rollingUpdate: anything }) },
  ),
});

/**
 * Where an object has not the types that are needed to read it, for the kinds that are read closely here. Kubernetes
 * cannot even decode most of these.
 */
export function shapeFaultOf(object: unknown): string | undefined {
  const kind = isMapping(object) ? object['kind'] : undefined;
  const check = kind === 'Pod' ? pod : kind === 'DaemonSet' ? daemonSet : fields({ metadata: anything });
  return check(object, '')?.slice(1);
}

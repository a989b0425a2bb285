import { describe, expect, test } from 'vitest';
import type { ClusterErrorCode } from '../../core/errors.ts';
import type { Cluster, Kind } from '../api.ts';
import { clusterOver } from './client.ts';
import type { Reply, Request } from './request.ts';

const ACCOUNT = { namespace: 'kube-system', name: 'default' };
const AUTHENTICATION = 'authentication.k8s.io/v1';

/** A cluster that gives the same reply to everything, and remembers what it was asked. */
function answering(status: number, body: unknown): { cluster: Cluster; requests: Request[] } {
  const requests: Request[] = [];
  const send = async (request: Request): Promise<Reply> => {
    requests.push(request);
    return { status, text: typeof body === 'string' ? body : JSON.stringify(body) };
  };
  return { cluster: clusterOver({ send, open: send }), requests };
}

describe('a question', () => {
  test('for the version is answered by what the server calls gitVersion', async () => {
    const { cluster, requests } = answering(200, { major: '1', minor: '35', gitVersion: 'v1.35.4' });
    expect(await cluster.version()).toBe('v1.35.4');
    expect(requests).toStrictEqual([{ method: 'GET', path: '/version' }]);
  });

  test('who one is creates a review, which names the user', async () => {
    const { cluster, requests } = answering(201, {
      status: { userInfo: { username: 'kubernetes-admin', groups: [] } },
    });
    expect(await cluster.whoAmI()).toBe('kubernetes-admin');
    expect(requests).toStrictEqual([
      {
        method: 'POST',
        path: `/apis/${AUTHENTICATION}/selfsubjectreviews`,
        body: { apiVersion: AUTHENTICATION, kind: 'SelfSubjectReview' },
      },
    ]);
  });

  test('for a token names the ServiceAccount in its path and the seconds in its body', async () => {
    const { cluster, requests } = answering(201, { status: { token: 'a.b.c', expirationTimestamp: 'later' } });
    expect(await cluster.requestToken(ACCOUNT, 600)).toBe('a.b.c');
    expect(requests).toStrictEqual([
      {
        method: 'POST',
        path: '/api/v1/namespaces/kube-system/serviceaccounts/default/token',
        body: { apiVersion: AUTHENTICATION, kind: 'TokenRequest', spec: { expirationSeconds: 600 } },
      },
    ]);
  });

  test.each([
    ['apps/v1', '/apis/apps/v1'],
    ['metrics.k8s.io/v1beta1', '/apis/metrics.k8s.io/v1beta1'],
    ['v1', '/api/v1'],
  ])('what is in %s gets the names of its resources, sorted', async (groupVersion, path) => {
    const { cluster, requests } = answering(200, { resources: [{ name: 'pods' }, { name: 'nodes', kind: 'Node' }] });
    expect(await cluster.discover(groupVersion)).toEqual(['nodes', 'pods']);
    expect(requests).toStrictEqual([{ method: 'GET', path }]);
  });

  test.each(['', '/', 'apps/', '/v1', '..', 'apps/..', '../v1', 'apps/v1/daemonsets', 'apps/v1?x', 'a%2f/v1'])(
    'what is in %j is not sent, as that is no version',
    async (groupVersion) => {
      const { cluster, requests } = answering(200, { resources: [] });
      await expect(cluster.discover(groupVersion)).rejects.toMatchObject({ code: 'INVALID' });
      expect(requests).toEqual([]);
    },
  );

  test('for a token of a ServiceAccount without a name is not sent', async () => {
    const { cluster, requests } = answering(201, {});
    await expect(cluster.requestToken({ namespace: 'n', name: '' }, 600)).rejects.toMatchObject({ code: 'INVALID' });
    expect(requests).toEqual([]);
  });
});

type Ask = (cluster: Cluster) => Promise<unknown>;
const VERSION: Ask = (c) => c.version();
const USER: Ask = (c) => c.whoAmI();
const TOKEN: Ask = (c) => c.requestToken(ACCOUNT, 600);
const RESOURCES: Ask = (c) => c.discover('apps/v1');

describe('an answer', () => {
  test.each<[string, Ask, number, unknown, ClusterErrorCode]>([
    ['the version', VERSION, 200, {}, 'UNEXPECTED'],
    ['the version', VERSION, 200, { gitVersion: 1 }, 'UNEXPECTED'],
    ['the version', VERSION, 403, {}, 'FORBIDDEN'],
    ['who one is', USER, 201, { status: {} }, 'UNEXPECTED'],
    ['who one is', USER, 401, {}, 'UNAUTHORIZED'],
    ['a token', TOKEN, 201, { status: { token: '' } }, 'UNEXPECTED'],
    ['a token', TOKEN, 404, {}, 'NOT_FOUND'],
    ['a token', TOKEN, 422, {}, 'INVALID'],
    ['resources', RESOURCES, 200, {}, 'UNEXPECTED'],
    ['resources', RESOURCES, 200, { resources: [{}] }, 'UNEXPECTED'],
    ['resources', RESOURCES, 404, '404 page not found', 'NOT_FOUND'],
    ['resources', RESOURCES, 503, 'service unavailable', 'UNAVAILABLE'],
  ])('for %s that says something else is an error: %#', async (_what, ask, status, body, code) => {
    await expect(ask(answering(status, body).cluster)).rejects.toMatchObject({ code });
  });

  test('with an empty list of resources may say so by null', async () => {
    expect(await answering(200, { resources: null }).cluster.discover('apps/v1')).toEqual([]);
  });

  test.each([
    [201, { status: { tokn: 'hunter2' } }],
    [201, 'hunter2'],
    [422, { message: 'invalid token hunter2' }],
  ])('for a token is never quoted: status %i with %j', async (status, body) => {
    const error = (await TOKEN(answering(status, body).cluster).catch((thrown: unknown) => thrown)) as Error;
    expect(error.message).toContain('Could not get a token of ServiceAccount kube-system/default');
    expect(JSON.stringify([error.message, error.cause ?? ''])).not.toContain('hunter2');
  });
});

test.each<[Kind, string]>([
  ['APIService', '/apis/apiregistration.k8s.io/v1/apiservices'],
  ['MutatingWebhookConfiguration', '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations'],
  ['ResourceQuota', '/api/v1/resourcequotas'],
  ['ServiceAccount', '/api/v1/serviceaccounts'],
  ['ValidatingWebhookConfiguration', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'],
])('every %s is listed under %s', async (kind, path) => {
  const { cluster, requests } = answering(200, { metadata: { resourceVersion: '5' }, items: [] });
  await cluster.list({ kind });
  expect(requests).toStrictEqual([{ method: 'GET', path }]);
});

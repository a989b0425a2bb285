import type { ServiceAccountReference } from '../../api.ts';
import type { Random } from '../random.ts';
import type { Store } from '../store.ts';
import type { Credentials, User } from './requests.ts';

/** Shortest life of a token that an API server takes, in seconds. */
export const SHORTEST_TOKEN = 600;

/** Tokens of ServiceAccounts. Every API server knows those of the others that have its issuer. */
export interface Tokens {
  /** A token, or nothing where there is no such ServiceAccount. */
  issue(serviceAccount: ServiceAccountReference, seconds: number, issuer: string): string | undefined;
  /**
   * Who asks, as servers with these issuers see it; nothing for a token that none of them gave, that is too old or whose
   * ServiceAccount is gone or is another one by now.
   */
  userOf(credentials: Credentials, issuers: readonly string[]): User | undefined;
}

interface Issued {
  readonly serviceAccount: ServiceAccountReference;
  readonly uid: string | undefined;
  readonly issuer: string;
  /** Milliseconds on the clock of the cluster. */
  readonly until: number;
}

export interface TokensSettings {
  readonly store: Pick<Store, 'get'>;
  readonly random: Random;
  /** Milliseconds. */
  readonly now: () => number;
}

export function createTokens({ store, random, now }: TokensSettings): Tokens {
  const issued = new Map<string, Issued>();

  function uidOf({ namespace, name }: ServiceAccountReference): string | undefined {
    return store.get('ServiceAccount', namespace, name)?.metadata.uid;
  }

  return {
    issue: (serviceAccount, seconds, issuer) => {
      const uid = uidOf(serviceAccount);
      if (uid === undefined) return undefined;
      const token = `simulated-${random.letters(32)}`;
      issued.set(token, { serviceAccount, uid, issuer, until: now() + seconds * 1000 });
      return token;
    },
    userOf: (credentials, issuers) => {
      if (typeof credentials === 'string') return credentials;
      const found = issued.get(credentials.token);
      if (found === undefined || found.until <= now() || !issuers.includes(found.issuer)) return undefined;
      if (uidOf(found.serviceAccount) !== found.uid) return undefined;
      return serviceAccountUser(found.serviceAccount);
    },
  };
}

/** A ServiceAccount as the API server calls it when it asks. */
export function serviceAccountUser({ namespace, name }: ServiceAccountReference): User {
  return `system:serviceaccount:${namespace}:${name}`;
}

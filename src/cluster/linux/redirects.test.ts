import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { needs } from '../../../test/support/needs.ts';
import { ADDRESS, ADDRESS_6, openNetwork, type Network } from '../../../test/support/network.ts';
import { CommandError, type Run } from './commands.ts';
import { OWN_ADDRESS } from './redirect-rules.ts';
import { createRedirects } from './redirects.ts';

const RULE = {
  from: [
    { address: ADDRESS, port: 6443 },
    { address: '10.96.0.1', port: 443 },
  ],
  to: { address: ADDRESS, port: 6444 },
};
const RULE_6 = { from: [{ address: ADDRESS_6, port: 6443 }], to: { address: ADDRESS_6, port: 6444 } };

/** Nothing is kept for a boot. */
const NO_BOOT = { keep: async () => {}, drop: async () => {} };

/** A node without nftables. */
const withoutNft =
  (run: Run): Run =>
  (program, args, input) =>
    program === 'nft'
      ? Promise.reject(new CommandError('nft', '', Object.assign(new Error('gone'), { code: 'ENOENT' })))
      : run(program, args, input);

describe.skipIf(!needs('network namespace'))('in a network of its own', () => {
  let network: Network;
  beforeEach(async () => {
    network = await openNetwork();
    await network.serve({ 6443: 'server', 6444: 'relay' });
  });
  afterEach(() => network.end());

  const FORMS = [
    ['nftables', (run: Run) => run],
    ['iptables', withoutNft],
  ] as const;

  describe.each(FORMS)('a redirect in the form of %s', (form, on) => {
    test('takes connections to every endpoint, and none that comes from our own address', async () => {
      const redirects = createRedirects(on(network.run), Date.now, NO_BOOT);
      expect(await redirects.get()).toBeUndefined();
      expect(await network.ask(ADDRESS, 6443)).toBe('server');
      await redirects.set(RULE);
      expect(await redirects.get()).toEqual({
        ...RULE,
        from: RULE.from.toSorted((a, b) => (a.address < b.address ? -1 : 1)),
      });
      expect(await network.ask(ADDRESS, 6443)).toBe('relay');
      expect(await network.ask('10.96.0.1', 443)).toBe('relay');
      expect(await network.ask(ADDRESS, 6443, OWN_ADDRESS.ip)).toBe('server');
      // The API server's own client asks there.
      expect(await network.ask('127.0.0.1', 6443)).toBe('server');
      await redirects.remove();
      expect(await redirects.get()).toBeUndefined();
      expect(await network.ask(ADDRESS, 6443)).toBe('server');
      await redirects.forget();
      await redirects.remove();
      await redirects.forget();
      const left = await network.run('nft', ['list', 'ruleset']);
      expect(left.toLowerCase()).not.toContain('bootlace');
    });

    test('ends by itself unless it is set again', async () => {
      const redirects = createRedirects(on(network.run), Date.now, NO_BOOT);
      await redirects.set(RULE, { seconds: 2 });
      expect(await network.ask(ADDRESS, 6443)).toBe('relay');
      await sleep(3200);
      expect(await network.ask(ADDRESS, 6443)).toBe('server');
      expect(await redirects.get()).toBeUndefined();
      await redirects.set(RULE, { seconds: 1 });
      await redirects.set(RULE);
      await sleep(2200);
      expect(await network.ask(ADDRESS, 6443)).toBe('relay');
    });

    test('is there once, however often it is set', async () => {
      const redirects = createRedirects(on(network.run), Date.now, NO_BOOT);
      for (let times = 0; times < 3; times += 1) await redirects.set(RULE);
      const rules = await network.run(
        form === 'nftables' ? 'nft' : 'iptables-save',
        form === 'nftables' ? ['list', 'ruleset'] : [],
      );
      expect(rules.match(/dnat to|--to-destination/g)).toHaveLength(2);
    });

    test('works for IPv6', async () => {
      const redirects = createRedirects(on(network.run), Date.now, NO_BOOT);
      await redirects.set(RULE_6);
      expect(await network.ask(ADDRESS_6, 6443)).toBe('relay');
      expect(await network.ask(ADDRESS_6, 6443, OWN_ADDRESS.ip6)).toBe('server');
      expect(await redirects.get()).toEqual(RULE_6);
      await redirects.remove();
      await redirects.forget();
      expect(await network.ask(ADDRESS_6, 6443)).toBe('server');
    });
  });

  test.each(FORMS)('in the form of %s an endpoint of the other family keeps its address', async (_, on) => {
    const redirects = createRedirects(on(network.run), Date.now, NO_BOOT);
    const both = { from: [...RULE.from, { address: ADDRESS_6, port: 6443 }], to: RULE.to };
    await redirects.set(both);
    expect(await network.ask(ADDRESS, 6443)).toBe('relay');
    expect(await network.ask('10.96.0.1', 443)).toBe('relay');
    expect(await network.ask(ADDRESS_6, 6443)).toBe('relay');
    expect(await network.ask(ADDRESS_6, 6443, OWN_ADDRESS.ip6)).toBe('server');
    const found = await redirects.get();
    expect(found?.to).toEqual(RULE.to);
    expect(found?.from.map(({ address }) => address).toSorted()).toEqual([ADDRESS, '10.96.0.1', ADDRESS_6].toSorted());
    await redirects.remove();
    expect(await redirects.get()).toBeUndefined();
    expect(await network.ask(ADDRESS_6, 6443)).toBe('server');
    await redirects.forget();
    expect((await network.run('nft', ['list', 'ruleset'])).toLowerCase()).not.toContain('bootlace');
  });

  test('a connection that is open goes on when its redirect is removed, until that is forgotten', async () => {
    const redirects = createRedirects(network.run, Date.now, NO_BOOT);
    const script = `
      const net = require('net');
      const server = net.createServer((socket) => socket.on('data', (data) => socket.write(data)));
      server.listen(7444, '::', () => {
        const socket = net.connect(7443, '${ADDRESS}', () => { console.log('open'); socket.write('one'); });
        socket.on('data', () => setTimeout(() => { console.log('answered'); socket.write('again'); }, 300));
        socket.on('error', (error) => { console.log(error.code); process.exit(); });
        setTimeout(() => process.exit(), 2000);
      });`;
    await redirects.set({ from: [{ address: ADDRESS, port: 7443 }], to: { address: ADDRESS, port: 7444 } });
    const talk = network.run(process.execPath, ['-e', script]);
    await sleep(700);
    await redirects.remove();
    const said = (await talk).trim().split('\n');
    expect(said[0]).toBe('open');
    expect(said.length).toBeGreaterThan(4);
    expect(new Set(said)).toEqual(new Set(['open', 'answered']));
    await redirects.forget();
  });
});

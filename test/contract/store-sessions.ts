// The store's contract: sessions, what signs in once, and the end of a person's access.
import { describe, expect, it } from 'vitest';
import { isSessionAlive, SESSION_IDLE_MS, SESSION_LIFE_MS, type Session } from '../../src/core/account.ts';
import { createId } from '../../src/core/ids.ts';
import { at, ground, NOW, other, token } from '../support/store-samples.ts';
import type { Engine } from './engine.ts';

function session(accountId: string, changes: Partial<Session> = {}): Session {
  return { id: createId('ses'), accountId, startedAt: NOW, lastSeenAt: NOW, client: 'Firefox on Linux', ...changes };
}

const sweepAt = (now: string) => ({ endedBefore: NOW, keysBefore: NOW, now });

export function sessionsContract(engine: Engine): void {
  describe('a code to sign in with', () => {
    const code = (accountId: string, hash: string) => ({ hash, accountId, expiresAt: at(600), now: NOW });

    it('is good once, also for two who bring it at the same moment', async () => {
      await using place = await engine.place();
      await using one = await place.open();
      await using two = await place.open();
      const { account } = await ground(one.store);
      await one.store.addSignInCode(code(account.id, 'hash'));
      const answers = await Promise.all([
        one.store.useSignInCode('hash', at(1)),
        two.store.useSignInCode('hash', at(1)),
        one.store.useSignInCode('hash', at(1)),
      ]);
      expect(answers.filter((answer) => answer !== null)).toEqual([account]);
      expect(await two.store.useSignInCode('hash', at(2))).toBeNull();
      expect(await one.store.useSignInCode('unknown', at(2))).toBeNull();
    });

    it('is good until it expires', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { account } = await ground(opened.store);
      await opened.store.addSignInCode(code(account.id, 'late'));
      expect(await opened.store.useSignInCode('late', at(600))).toBeNull();
      await opened.store.addSignInCode(code(account.id, 'early'));
      expect(await opened.store.useSignInCode('early', at(599))).toEqual(account);
    });

    it('takes the place of an earlier one of the account, and of nobody else', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const [{ account }, stranger] = [await ground(store), await other(store)];
      await store.addSignInCode(code(account.id, 'first'));
      await store.addSignInCode(code(stranger.id, 'foreign'));
      await store.addSignInCode(code(account.id, 'second'));
      expect(await store.useSignInCode('first', at(1))).toBeNull();
      expect(await store.useSignInCode('second', at(1))).toEqual(account);
      expect(await store.useSignInCode('foreign', at(1))).toEqual(stranger);
    });
  });

  describe('the state of a sign-in with GitHub', () => {
    it('is good once until it expires, also for two who bring it at the same moment', async () => {
      await using place = await engine.place();
      await using one = await place.open();
      await using two = await place.open();
      const times = { expiresAt: at(600), now: at(1) };
      const answers = await Promise.all([one.store.useOnce('state', times), two.store.useOnce('state', times)]);
      expect(answers.toSorted()).toEqual([false, true]);
      expect(await one.store.useOnce('state', { ...times, now: at(599) })).toBe(false);
      expect(await one.store.useOnce('another', times)).toBe(true);
    });
  });

  describe('sessions', () => {
    it('are found by hash with their account, and listed with the last started first, never with the hash', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { account } = await ground(store);
      const [first, second] = [session(account.id), session(account.id, { client: 'curl', startedAt: at(5) })];
      await store.addSession(first, 'hash-1');
      await store.addSession(second, 'hash-2');
      expect(await store.findSessionByHash('hash-1')).toEqual({ session: first, account });
      expect(await store.findSessionByHash('hash-3')).toBeNull();
      expect(await store.listSessions(account.id)).toEqual([second, first]);
      expect(await store.listSessions('acc_other')).toEqual([]);
    });

    it('show when they were last used to the minute', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { account } = await ground(store);
      const one = session(account.id);
      await store.addSession(one, 'hash');
      const lastSeen = async () => (await store.findSessionByHash('hash'))?.session.lastSeenAt;
      await store.touchSession(one.id, at(59));
      expect(await lastSeen()).toBe(NOW);
      await store.touchSession(one.id, at(60));
      expect(await lastSeen()).toBe(at(60));
      await store.touchSession('ses_unknown', at(60));
    });

    it('end one by one, once, and only by their own account', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { account } = await ground(store);
      const [one, two] = [session(account.id), session(account.id)];
      await store.addSession(one, 'hash-1');
      await store.addSession(two, 'hash-2');
      expect(await store.endSession(one.id, 'acc_other', at(1))).toBe(false);
      expect(await store.endSession(one.id, account.id, at(1))).toBe(true);
      expect(await store.endSession(one.id, account.id, at(2))).toBe(false);
      await store.touchSession(one.id, at(99));
      expect(await store.findSessionByHash('hash-1')).toBeNull();
      expect(await store.listSessions(account.id)).toEqual([two]);
      expect((await opened.audit()).slice(1)).toEqual([
        { verb: 'session.started', subject: one.id },
        { verb: 'session.started', subject: two.id },
        { verb: 'session.ended', subject: one.id },
      ]);
    });

    it('are swept past either limit, as are expired codes and states, and nothing before', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { account } = await ground(store);
      const [idle, life] = [SESSION_IDLE_MS / 1_000, SESSION_LIFE_MS / 1_000];
      const [unused, old] = [session(account.id), session(account.id, { lastSeenAt: at(life - 1) })];
      await store.addSession(unused, 'unused');
      await store.addSession(old, 'old');
      await store.addSignInCode({ hash: 'code', accountId: account.id, expiresAt: at(600), now: NOW });
      await store.useOnce('state', { expiresAt: at(600), now: NOW });
      const kept = async () => {
        const { sessions, sign_in_codes: codes, sign_in_states: states } = await opened.recordCounts();
        return [sessions, codes, states];
      };
      await store.sweep(sweepAt(at(599)));
      expect(await kept()).toEqual([2, 1, 1]);
      await store.sweep(sweepAt(at(600)));
      expect(await kept()).toEqual([2, 0, 0]);
      for (const seconds of [idle - 1, idle, life - 1, life]) {
        await store.sweep(sweepAt(at(seconds)));
        const alive = [old, unused].filter((one) => isSessionAlive(one, new Date(at(seconds))));
        expect(await store.listSessions(account.id)).toEqual(alive);
      }
      expect(await kept()).toEqual([0, 0, 0]);
    });
  });

  describe('a person who takes the authorization of the App back', () => {
    it('has no session, token or code left, which is in the audit log once, and nobody else loses anything', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const ensure = (githubId: number, login: string) =>
        store.ensureAccount({ login, githubId, signingSecret: 'whsec_x', now: NOW });
      const [mona, hubot] = [await ensure(7, 'mona'), await ensure(8, 'hubot')];
      const [hers, his] = [session(mona.id), session(hubot.id)];
      const [gone, left, before] = [token(mona.id), token(hubot.id), token(mona.id)];
      await store.addSession(hers, 'hers');
      await store.addSession(his, 'his');
      await store.addToken(gone, 'gone');
      await store.addToken(left, 'left');
      await store.addToken(before, 'before');
      await store.revokeToken(before.id, mona.id, at(1));
      await store.addSignInCode({ hash: 'code', accountId: mona.id, expiresAt: at(600), now: NOW });
      const written = (await opened.audit()).length;
      await store.endAccess(7, at(2));
      await store.endAccess(7, at(3));
      await store.endAccess(9, at(3));
      expect(await store.findSessionByHash('hers')).toBeNull();
      expect((await store.findTokenByHash('gone'))?.token.revokedAt).toBe(at(2));
      expect((await store.findTokenByHash('before'))?.token.revokedAt).toBe(at(1));
      expect(await store.useSignInCode('code', at(3))).toBeNull();
      expect((await store.findSessionByHash('his'))?.session).toEqual(his);
      expect((await store.findTokenByHash('left'))?.token.revokedAt).toBeNull();
      expect((await opened.audit()).slice(written)).toEqual([
        { verb: 'access.revoked', subject: mona.id },
        { verb: 'session.ended', subject: hers.id },
        { verb: 'token.revoked', subject: gone.id },
      ]);
    });
  });
}

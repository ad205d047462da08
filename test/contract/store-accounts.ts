// The store's contract: accounts, their tokens and signing secrets, and who is signed in.
import { describe, expect, it } from 'vitest';
import {
  type BrowserSession,
  isSessionAlive,
  SESSION_IDLE_MS,
  SESSION_LIFE_MS,
} from '../../src/core/account/account.ts';
import { createId } from '../../src/core/ids.ts';
import { at, ground, NOW, other, token } from '../support/store-samples.ts';
import { type Engine, openLocal, openNew } from './engine.ts';

export function accountsContract(engine: Engine): void {
  describe('accounts', () => {
    it('are made once, whatever the case of the login, also by two processes at once', async () => {
      await using place = await engine.place();
      await using one = await place.open();
      await using two = await place.open();
      const wanted = { login: 'Octo', githubId: null, signingSecret: 'whsec_first', now: NOW };
      const [first, second, third] = await Promise.all([
        one.store.ensureAccount(wanted),
        two.store.ensureAccount({ ...wanted, signingSecret: 'whsec_second' }),
        one.store.ensureAccount({ ...wanted, login: 'octo' }),
      ]);
      expect(second).toEqual(first);
      expect(third).toEqual(first);
      expect(first.id).toMatch(/^acc_/);
      expect(await one.store.listSigningSecrets(first.id, NOW)).toHaveLength(1);
    });

    it('of people on GitHub are their number: whoever is renamed keeps theirs, and who had the name before gives it up', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const ensure = (githubId: number | null, login: string) =>
        store.ensureAccount({ login, githubId, signingSecret: `whsec_${login}`, now: NOW });
      const first = await ensure(1, 'Mona');
      expect(first).toEqual({ id: first.id, login: 'Mona', githubId: 1 });
      expect(await ensure(1, 'mona-2')).toEqual({ ...first, login: 'mona-2' });
      const second = await ensure(2, 'mona');
      expect(second.id).not.toBe(first.id);
      expect(await ensure(2, 'MONA-2')).toEqual({ ...second, login: 'MONA-2' });
      await store.addToken(token(first.id), 'hash');
      expect((await store.findTokenByHash('hash'))?.account).toMatchObject({ id: first.id, githubId: 1 });
      expect((await store.findTokenByHash('hash'))?.account.login).not.toMatch(/^mona-2$/i);
      expect(await ensure(1, 'mona')).toEqual({ ...first, login: 'mona' });
      expect(await ensure(2, 'mona-2')).toEqual({ ...second, login: 'mona-2' });
      expect(await store.listSigningSecrets(first.id, NOW)).toEqual(['whsec_Mona']);
      expect((await opened.audit()).filter((entry) => entry.verb === 'account.made')).toHaveLength(2);
    });

    it('of the house itself are nobody on GitHub, whatever the names of people there', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const ensure = (githubId: number | null, login: string) =>
        store.ensureAccount({ login, githubId, signingSecret: 'whsec_x', now: NOW });
      const early = await ensure(1, 'local');
      const house = await ensure(null, 'Local');
      const late = await ensure(2, 'local');
      expect(new Set([early.id, house.id, late.id]).size).toBe(3);
      expect(await ensure(null, 'local')).toEqual({ id: house.id, login: 'Local', githubId: null });
      expect(await ensure(1, 'local')).toEqual(early);
      expect(await ensure(2, 'local')).toEqual(late);
    });

    it('sign with the new secret first and the one before it until the overlap ends', async () => {
      await using opened = await openLocal(engine);
      const { account } = opened;
      const rotation = { accountId: account.id, overlapUntil: at(100), now: at(10) };
      await opened.store.rotateSigningSecret({ ...rotation, secret: 'whsec_second' });
      expect(await opened.store.listSigningSecrets(account.id, at(99))).toEqual(['whsec_second', 'whsec_first']);
      expect(await opened.store.listSigningSecrets(account.id, at(100))).toEqual(['whsec_second']);
    });

    it('rotate once with a key that counts once', async () => {
      await using opened = await openLocal(engine);
      const { account } = opened;
      const once = { hash: 'form', expiresAt: at(600) };
      const rotation = { accountId: account.id, overlapUntil: at(100), now: at(10), once };
      expect(await opened.store.rotateSigningSecret({ ...rotation, secret: 'whsec_second' })).toBe('done');
      expect(await opened.store.rotateSigningSecret({ ...rotation, secret: 'whsec_third' })).toBe('repeated');
      expect(await opened.store.listSigningSecrets(account.id, at(20))).toEqual(['whsec_second', 'whsec_first']);
      expect((await opened.audit()).filter(({ verb }) => verb === 'secret.rotated')).toHaveLength(1);
    });

    it('never sign with more than two secrets, however often they are rotated', async () => {
      await using opened = await openLocal(engine);
      const { account } = opened;
      const rotation = { accountId: account.id, overlapUntil: at(100), now: at(10) };
      await opened.store.rotateSigningSecret({ ...rotation, secret: 'whsec_second' });
      await opened.store.rotateSigningSecret({ ...rotation, secret: 'whsec_third' });
      expect(await opened.store.listSigningSecrets(account.id, at(20))).toEqual(['whsec_third', 'whsec_second']);
    });
  });

  describe('tokens', () => {
    it('are found by hash with their account, and listed newest first, never with the hash', async () => {
      await using opened = await openLocal(engine);
      const { account } = opened;
      const first = token(account.id, { projectIds: ['prj_a'], expiresAt: at(5) });
      const second = token(account.id, { name: 'laptop' });
      await opened.store.addToken(first, 'hash-1');
      await opened.store.addToken(second, 'hash-2');
      expect(await opened.store.findTokenByHash('hash-1')).toEqual({ token: first, account });
      expect(await opened.store.findTokenByHash('hash-3')).toBeNull();
      expect(await opened.store.listTokens(account.id)).toEqual([second, first]);
      expect(await opened.store.listTokens('acc_other')).toEqual([]);
    });

    it('are made once with a key that counts once, which a token that could not be made leaves unused', async () => {
      await using place = await engine.place();
      await using one = await place.open();
      await using two = await place.open();
      const { account } = await ground(one.store);
      const first = token(account.id);
      await one.store.addToken(first, 'hash-1');
      const how = { once: { hash: 'form', expiresAt: at(600) } };
      await expect(one.store.addToken(first, 'hash-1', how)).rejects.toThrow();
      const answers = await Promise.all([
        one.store.addToken(token(account.id), 'hash-2', how),
        two.store.addToken(token(account.id), 'hash-3', how),
      ]);
      expect(answers.toSorted()).toEqual(['done', 'repeated']);
      expect(await one.store.listTokens(account.id)).toHaveLength(2);
      expect((await one.audit()).filter(({ verb }) => verb === 'token.created')).toHaveLength(2);
    });

    it('made, revoked, shown and rotated by the operator for somebody are told apart from their own acts', async () => {
      await using opened = await openLocal(engine);
      const { account } = opened;
      const record = token(account.id);
      const byOperator = true;
      await opened.store.addToken(record, 'hash', { byOperator });
      await opened.store.revokeToken(record.id, account.id, at(1), { byOperator });
      const rotation = { accountId: account.id, secret: 'whsec_second', overlapUntil: at(100), now: at(2) };
      await opened.store.rotateSigningSecret({ ...rotation, byOperator });
      await opened.store.recordSecretShown(account.id, at(3), { byOperator });
      const verbs = (await opened.audit()).map(({ verb }) => verb).filter((verb) => verb.endsWith('_by_operator'));
      expect(verbs).toEqual([
        'token.created_by_operator',
        'token.revoked_by_operator',
        'secret.rotated_by_operator',
        'secret.shown_by_operator',
      ]);
    });

    it('are revoked once, and only by their own account', async () => {
      await using opened = await openLocal(engine);
      const { account } = opened;
      const record = token(account.id);
      await opened.store.addToken(record, 'hash');
      expect(await opened.store.revokeToken(record.id, 'acc_other', at(1))).toBe(false);
      expect(await opened.store.revokeToken(record.id, account.id, at(1))).toBe(true);
      expect(await opened.store.revokeToken(record.id, account.id, at(2))).toBe(false);
      expect((await opened.store.findTokenByHash('hash'))?.token.revokedAt).toBe(at(1));
    });

    it('show their last use to the minute', async () => {
      await using opened = await openLocal(engine);
      const { account } = opened;
      const record = token(account.id);
      await opened.store.addToken(record, 'hash');
      const lastUse = async () => (await opened.store.findTokenByHash('hash'))?.token.lastUsedAt;
      await opened.store.touchToken(record.id, at(1));
      expect(await lastUse()).toBe(at(1));
      await opened.store.touchToken(record.id, at(30));
      expect(await lastUse()).toBe(at(1));
      await opened.store.touchToken(record.id, at(62));
      expect(await lastUse()).toBe(at(62));
      await opened.store.touchToken('tok_unknown', at(62));
    });

    it('leave an audit entry for each deed', async () => {
      await using opened = await openLocal(engine);
      const { account } = opened;
      const record = token(account.id);
      await opened.store.addToken(record, 'hash');
      await opened.store.revokeToken(record.id, account.id, NOW);
      await opened.store.revokeToken(record.id, account.id, NOW);
      const secret = { accountId: account.id, secret: 'whsec_second', overlapUntil: at(1), now: NOW };
      await opened.store.rotateSigningSecret(secret);
      await opened.store.recordSecretShown(account.id, at(1));
      await opened.store.recordSecretShown(account.id, at(2));
      expect(await opened.audit()).toEqual([
        { verb: 'account.made', subject: account.id },
        { verb: 'token.created', subject: record.id },
        { verb: 'token.revoked', subject: record.id },
        { verb: 'secret.rotated', subject: account.id },
        { verb: 'secret.shown', subject: account.id },
        { verb: 'secret.shown', subject: account.id },
      ]);
    });
  });
}

function session(accountId: string, changes: Partial<BrowserSession> = {}): BrowserSession {
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
      await using opened = await openLocal(engine);
      const { account } = opened;
      await opened.store.addSignInCode(code(account.id, 'late'));
      expect(await opened.store.useSignInCode('late', at(600))).toBeNull();
      await opened.store.addSignInCode(code(account.id, 'early'));
      expect(await opened.store.useSignInCode('early', at(599))).toEqual(account);
    });

    it('takes the place of an earlier one of the account, and of nobody else', async () => {
      await using opened = await openNew(engine);
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
      await using opened = await openLocal(engine);
      const { store, account } = opened;
      const [first, second] = [session(account.id), session(account.id, { client: 'curl', startedAt: at(5) })];
      await store.addSession(first, 'hash-1');
      await store.addSession(second, 'hash-2');
      expect(await store.findSessionByHash('hash-1')).toEqual({ session: first, account });
      expect(await store.findSessionByHash('hash-3')).toBeNull();
      expect(await store.listSessions(account.id)).toEqual([second, first]);
      expect(await store.listSessions('acc_other')).toEqual([]);
    });

    it('show when they were last used to the minute', async () => {
      await using opened = await openLocal(engine);
      const { store, account } = opened;
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
      await using opened = await openLocal(engine);
      const { store, account } = opened;
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
      await using opened = await openLocal(engine);
      const { store, account } = opened;
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
      await using opened = await openNew(engine);
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

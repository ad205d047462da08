// The store's contract: accounts, tokens and signing secrets.
import { describe, expect, it } from 'vitest';
import { at, ground, NOW, token } from '../support/store-samples.ts';
import type { Engine } from './engine.ts';

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
      await using place = await engine.place();
      await using opened = await place.open();
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
      await using place = await engine.place();
      await using opened = await place.open();
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
      await using place = await engine.place();
      await using opened = await place.open();
      const { account } = await ground(opened.store);
      const rotation = { accountId: account.id, overlapUntil: at(100), now: at(10) };
      await opened.store.rotateSigningSecret({ ...rotation, secret: 'whsec_second' });
      expect(await opened.store.listSigningSecrets(account.id, at(99))).toEqual(['whsec_second', 'whsec_first']);
      expect(await opened.store.listSigningSecrets(account.id, at(100))).toEqual(['whsec_second']);
    });

    it('rotate once with a key that counts once', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { account } = await ground(opened.store);
      const once = { hash: 'form', expiresAt: at(600) };
      const rotation = { accountId: account.id, overlapUntil: at(100), now: at(10), once };
      expect(await opened.store.rotateSigningSecret({ ...rotation, secret: 'whsec_second' })).toBe('done');
      expect(await opened.store.rotateSigningSecret({ ...rotation, secret: 'whsec_third' })).toBe('repeated');
      expect(await opened.store.listSigningSecrets(account.id, at(20))).toEqual(['whsec_second', 'whsec_first']);
      expect((await opened.audit()).filter(({ verb }) => verb === 'secret.rotated')).toHaveLength(1);
    });

    it('never sign with more than two secrets, however often they are rotated', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { account } = await ground(opened.store);
      const rotation = { accountId: account.id, overlapUntil: at(100), now: at(10) };
      await opened.store.rotateSigningSecret({ ...rotation, secret: 'whsec_second' });
      await opened.store.rotateSigningSecret({ ...rotation, secret: 'whsec_third' });
      expect(await opened.store.listSigningSecrets(account.id, at(20))).toEqual(['whsec_third', 'whsec_second']);
    });
  });

  describe('tokens', () => {
    it('are found by hash with their account, and listed newest first, never with the hash', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { account } = await ground(opened.store);
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
      await using place = await engine.place();
      await using opened = await place.open();
      const { account } = await ground(opened.store);
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
      await using place = await engine.place();
      await using opened = await place.open();
      const { account } = await ground(opened.store);
      const record = token(account.id);
      await opened.store.addToken(record, 'hash');
      expect(await opened.store.revokeToken(record.id, 'acc_other', at(1))).toBe(false);
      expect(await opened.store.revokeToken(record.id, account.id, at(1))).toBe(true);
      expect(await opened.store.revokeToken(record.id, account.id, at(2))).toBe(false);
      expect((await opened.store.findTokenByHash('hash'))?.token.revokedAt).toBe(at(1));
    });

    it('show their last use to the minute', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { account } = await ground(opened.store);
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
      await using place = await engine.place();
      await using opened = await place.open();
      const { account } = await ground(opened.store);
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

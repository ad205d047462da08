// The store's contract: the JSON of an Issue is that of the Issue as it stands now, whichever process is asked, and however often.
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/db/store.ts';
import { comment, githubGround, installation, opening, record, repository } from '../support/github-store-samples.ts';
import { acceptance, accepted, at, conclusion, ground, NOW, started } from '../support/store-samples.ts';
import type { Engine, Place } from './engine.ts';

/** Two processes over one database. */
async function both(place: Place) {
  await using opening = new AsyncDisposableStack();
  const one = opening.use(await place.open());
  const another = opening.use(await place.open());
  const stack = opening.move();
  return { one: one.store, another: another.store, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** The JSON as each process gives it, which must be that of the Issue. */
async function jsonFrom(stores: readonly Store[], id: string): Promise<string | null> {
  const issue = await stores[0]!.issue(id);
  const wanted = issue === null ? null : JSON.stringify(issue);
  // Asked twice, it comes from memory.
  for (const store of [...stores, ...stores]) {
    const found = await store.issueJson(id);
    expect(found && new TextDecoder().decode(found.json)).toBe(wanted);
  }
  return wanted;
}

export function issueJsonContract(engine: Engine): void {
  describe('the JSON of an Issue', () => {
    it('is its own among those of one run, and says at once what another process has changed', async () => {
      await using place = await engine.place();
      await using stores = await both(place);
      const { one, another } = stores;
      const base = await ground(one);
      const { runId } = await accepted(one, acceptance(base, { reference: 'first' }));
      await accepted(one, acceptance(base, { reference: 'second', text: 'TypeError: x is undefined ' }));
      const [first = '', second = ''] = await one.conclude(await started(one, runId), conclusion(), NOW);
      const all = [one, another];
      expect(await jsonFrom(all, first)).toContain('"reference":"first"');
      const joined = await jsonFrom(all, second);
      expect(joined).toContain(`"reference":"second"`);
      expect(joined).toContain(`"sameAs":"${first}"`);
      expect((await another.issueJson(second))?.project).toEqual(base.project);
      await one.eraseIssue(first, at(1));
      expect(await jsonFrom(all, first)).toBeNull();
      expect(await jsonFrom(all, second)).toContain('"sameAs":null');
      await another.eraseIssue(second, at(2));
      expect(await jsonFrom(all, second)).toBeNull();
    });

    it('has the links that another process has learnt since, and is absent while its project is hidden', async () => {
      await using place = await engine.place();
      await using stores = await both(place);
      const { one, another } = stores;
      const base = await githubGround(one);
      const report = acceptance(base, { thread: opening('thr_1') });
      const { runId, investigationId } = await accepted(one, report);
      const [id = ''] = await one.conclude(await started(one, runId), conclusion(), NOW);
      const all = [one, another];
      expect(await jsonFrom(all, id)).toContain('"comment":null');
      const posted = comment(investigationId);
      await one.saveThreadRecord('thr_1', record({ comment: posted }), at(1));
      expect(await jsonFrom(all, id)).toContain(`"comment":${JSON.stringify(posted.url)}`);
      await one.syncInstallation(installation(), [], at(2));
      for (const store of all) expect(await store.issueJson(id)).toBeNull();
      await one.syncInstallation(installation(), [repository(1, 'octo/shop')], at(3));
      expect(await jsonFrom(all, id)).toContain(posted.url);
    });
  });
}

// The check run on a head, as the Issues of the investigations that were begun for it name it.
import type { HeadRecord } from '../core/head.ts';
import type { Trx } from './schema.ts';
import type { LearntLinks } from './thread-records.ts';

/** For the Issues that are there: those to come ask with `linksOfChecks`. */
export async function saveCheckRunLinks(trx: Trx, headId: string, url: string): Promise<void> {
  const issues = await trx
    .selectFrom('issues')
    .innerJoin('findings', 'findings.investigation_id', 'issues.investigation_id')
    .select(['issues.id', 'issues.links'])
    .where('findings.head_id', '=', headId)
    .where('findings.is_own', '=', 1)
    .execute();
  for (const { id, links } of issues) {
    const before: LearntLinks = links === null ? {} : JSON.parse(links);
    if (before.checkRun === url) continue;
    const after: LearntLinks = { ...before, checkRun: url };
    await trx
      .updateTable('issues')
      .set({ links: JSON.stringify(after) })
      .where('id', '=', id)
      .execute();
  }
}

/** The links that an Issue of the investigation is born with; null: none. */
export async function linksOfChecks(trx: Trx, investigationId: string): Promise<string | null> {
  const row = await trx
    .selectFrom('findings')
    .innerJoin('heads', 'heads.id', 'findings.head_id')
    .select('heads.record')
    .where('findings.investigation_id', '=', investigationId)
    .where('findings.is_own', '=', 1)
    .orderBy('heads.seq')
    .limit(1)
    .executeTakeFirst();
  if (!row) return null;
  const { checkRun }: HeadRecord = JSON.parse(row.record);
  return checkRun && JSON.stringify({ checkRun: checkRun.url } satisfies LearntLinks);
}

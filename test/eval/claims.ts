// `claims`: what a report names of the code, looked up; are the same things found to be there, and missing, as by hand?

import { checkClaims } from '../../src/triage/claims/check-claims.ts';
import { mapTraces } from '../../src/triage/clues.ts';
import { createNotebook } from '../../src/triage/lookups.ts';
import { readOwnPackages } from '../../src/triage/own-packages.ts';
import { createPathIndex } from '../../src/triage/paths.ts';
import { findSignals } from '../../src/triage/signals.ts';
import { agree, type Known, knowText } from './claim-texts.ts';
import type { Case, EvalOptions, Part, Row } from './part.ts';
import { textIn } from './read-case.ts';
import { openRepositories } from './repositories.ts';

/** What a person says of one thing that a report names. */
interface Truth {
  readonly text: string;
  readonly known: Known;
  readonly about: string;
  readonly isMissing: boolean;
}

const MISSING = ['never', 'removed_before', 'absent_here', 'line_beyond'];

export const CLAIMS: Part = {
  name: 'claims',
  says: 'report → which of the things that it names are there; --cases, --repositories',
  fits: (cases) => cases.every(({ data }) => Array.isArray(data['claims'])),
  run: async (options) => {
    await using repositories = openRepositories(options.repositories, options.keep);
    const counts = new Map<string, number>();
    const notes: string[] = [];
    for (const one of options.cases) {
      options.signal.throwIfAborted();
      const opened = await repositories.open(textIn(one, 'repo'), options.signal);
      if (opened === null) notes.push(`${textIn(one, 'id')}: ${textIn(one, 'repo')} is not there; skipped.`);
      else await runOne(one, opened.repository, { options, counts });
    }
    return { rows: [toRow(options.cases.length - notes.length, counts)], notes };
  },
};

async function runOne(
  one: Case,
  repository: Parameters<typeof checkClaims>[0]['repository'],
  { options, counts }: { readonly options: EvalOptions; readonly counts: Map<string, number> },
): Promise<void> {
  const { signal } = options;
  const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
  const report = `${textIn(one, 'title')}\n\n${textIn(one, 'body')}`;
  const tree = repository.tree(textIn(one, 'revision'));
  const index = createPathIndex(await tree.files(signal));
  const ground = { index, packages: await readOwnPackages(tree, index, signal) };
  const lookups = { repository, tree, ground, signal, notebook: createNotebook(async () => {}) };
  const signals = findSignals(report);
  const mapped = mapTraces(ground, signals.traces);
  const at = { tree, ground, name: tree.revision.slice(0, 7) };
  const claims = (await checkClaims(lookups, { report, signals, mapped, at })).map((claim) => ({
    ...claim,
    known: knowText(claim.text),
    isDecided: claim.state !== 'unchecked',
    isMissing: claim.state !== 'unchecked' && claim.state !== 'exists',
  }));
  const listed = one.data['claims'];
  const truths = (Array.isArray(listed) ? listed : []).map(toTruth);
  const own = truths.filter(({ about }) => about === 'project');
  const judged = new Set<(typeof claims)[number]>();
  for (const truth of truths) {
    const ours = claims.filter(({ known }) => agree(known, truth.known));
    for (const claim of ours) judged.add(claim);
    const said = ours.find(({ text }) => text === truth.text) ?? ours.find(({ isMissing }) => isMissing) ?? ours[0];
    if (truth.about === 'project') {
      count('project');
      if (said?.isDecided) count('decided');
      if (truth.isMissing) count('missing');
      if (truth.isMissing && said?.isMissing) count('named');
      if (!truth.isMissing && said?.isMissing) count('wrong');
      continue;
    }
    // It is taken for one of the project where no such claim has the same text.
    const isTaken = said?.isDecided === true && !own.some(({ known }) => agree(said.known, known));
    count(truth.about === 'own_sample' ? 'samples' : 'others');
    if (isTaken && truth.about === 'own_sample') count('taken');
    if (isTaken && said.isMissing) count('wrong');
  }
  // What no person listed, and is called missing, counts as wrong.
  for (const claim of claims) if (claim.isMissing && !judged.has(claim)) count('wrong');
  const told = claims.filter(({ isMissing }) => isMissing).map(({ text, note }) => `${text}: ${note}`);
  options.emit({ id: textIn(one, 'id'), told });
}

function toTruth(value: unknown): Truth {
  const { text, about, truth } = Object(value);
  return { text, known: knowText(String(text)), about, isMissing: MISSING.includes(truth) };
}

function toRow(n: number, counts: ReadonlyMap<string, number>): Row {
  const of = (name: string): number => counts.get(name) ?? 0;
  const share = (part: number, whole: number): number => (whole === 0 ? 0 : (100 * part) / whole);
  return {
    group: 'all',
    system: 'causeway',
    n,
    figures: {
      'claims about the project': of('project'),
      'decided %': share(of('decided'), of('project')),
      'wrongly absent %': share(of('wrong'), of('project') + of('samples') + of('others')),
      'own samples taken %': share(of('taken'), of('samples')),
      'missing things': of('missing'),
      'of them named %': share(of('named'), of('missing')),
    },
  };
}

// The texts of a proof of somebody else's pull request: its check run, its draft, and what an agent can act on.
import { formatCodeSpan, sanitiseInline } from 'causeway-safe-markdown';
import { formatCounted } from '../../core/counted.ts';
import {
  describeForeignResult,
  type ForeignProof,
  type ForeignResult,
  listForeignCommands,
  type ProveRefusal,
  type StartFault,
} from '../../core/proof/index.ts';
import type { StartRefusal } from '../workflows/index.ts';
import { formatPlainLabel, MAX_CHECK_TITLE } from './check-run-title.ts';
import { isOfRepository } from './comment.ts';
import { type Block, code, formatList, renderMarkdownPage, text } from './page.ts';
import { codeCertificate } from './proof.ts';
import { findStartRemedy, renderStartRefusal } from './start-refusal.ts';

export interface ProofRunText {
  readonly status: 'in_progress' | 'completed';
  /** Of a completed one: `success` only where it is proven. */
  readonly conclusion: 'success' | 'action_required';
  readonly title: string;
  readonly summary: string;
}

export interface ShownForeignProof {
  readonly proof: ForeignProof;
  /** `owner/name`. */
  readonly repository: string;
  /** GitHub's address for people. */
  readonly webUrl: string;
  /** The certificate, where it is proven; null: it isn't. */
  readonly certificate: object | null;
}

const TESTS_SHOWN = 20;

/** Title and summary of the check run `Causeway / proof`. */
export function renderProofRun(shown: ShownForeignProof): ProofRunText {
  const { progress } = shown.proof;
  if (progress.phase === 'ended') {
    const isProven = progress.result.kind === 'judged' && progress.result.verdict.state === 'proven';
    return {
      status: 'completed',
      conclusion: isProven ? 'success' : 'action_required',
      title: formatPlainLabel(describeForeignResult(progress.result), MAX_CHECK_TITLE),
      summary: renderForeignResult(shown, progress.result),
    };
  }
  const title =
    progress.phase === 'asked'
      ? 'Waiting for the checks of this commit, before its tests run alone'
      : progress.phase === 'opening'
        ? 'Its tests are pushed alone, on the base'
        : 'Its tests run alone, on the base';
  const link = progress.phase === 'red' ? ` See [the draft](${progress.posted.url}).` : '';
  const summary = `One run of CI more: the tests of this pull request without its change, on a branch and a draft of ours that go afterwards.${link}`;
  return { status: 'in_progress', conclusion: 'action_required', title, summary };
}

function renderForeignResult(shown: ShownForeignProof, result: ForeignResult): string {
  const { proof } = shown;
  const posted = proof.progress.phase === 'ended' ? proof.progress.posted : null;
  const lead = `**${sanitiseInline(describeForeignResult(result), 1_000)}.**`;
  if (result.kind === 'refused') {
    const { because } = result;
    const paths = because.code === 'guarded' ? because.paths.map(formatCodeSpan) : [];
    return renderMarkdownPage({
      open: [
        text(lead),
        ...(because.code === 'starts' ? renderStartFaults(because.faults) : []),
        ...(because.code === 'besides' ? renderActs(because) : []),
        text(formatList(paths, TESTS_SHOWN)),
        text(describeGivenUp(proof)),
        ...renderCommands(proof),
      ],
    });
  }
  const { verdict, tests, quiet, firstError, redBase, greenBase } = result;
  // Checks of others may lead anywhere.
  const link = (word: string, url: string) => (isOfRepository(url, shown) ? `[${word}](${url})` : word);
  // Of anything else it isn't known which test failed by itself.
  const isKnown = verdict.state === 'proven' || verdict.state === 'not_reproduced';
  const failed = isKnown ? tests.filter((title) => !quiet.includes(title)) : [];
  const runs =
    verdict.state === 'proven'
      ? verdict.checks.map(
          ({ name, red, green }) =>
            `${formatCodeSpan(name)}: ${link('red without the change', red.url)}, ${link('green with it', green.url)}`,
        )
      : [];
  return renderMarkdownPage({
    open: [
      text(lead),
      text(
        failed.length === 0 ? '' : `Fail without the change:\n${formatList(failed.map(formatCodeSpan), TESTS_SHOWN)}`,
      ),
      text(quiet.length === 0 ? '' : `Do not fail without it:\n${formatList(quiet.map(formatCodeSpan), TESTS_SHOWN)}`),
      text(firstError === '' ? '' : 'First error without the change:'),
      code(firstError, 'text'),
      text(formatList(runs, TESTS_SHOWN)),
      text(describeBases({ redBase, greenBase })),
      text(
        posted === null
          ? ''
          : `Run on commit ${formatCodeSpan(posted.testCommit.slice(0, 12))} of [a draft of ours](${posted.url}), closed since.`,
      ),
      ...(verdict.state === 'proven' ? [] : renderCommands(proof)),
    ],
    folds: [
      {
        summary: 'Certificate',
        blocks: shown.certificate === null ? [] : [codeCertificate(shown.certificate)],
      },
    ],
  });
}

function renderActs({ acts, draft }: Extract<ProveRefusal, { readonly code: 'besides' }>): readonly Block[] {
  const named = acts.map((act) =>
    act.kind === 'app'
      ? `the App ${formatCodeSpan(act.slug)}`
      : `a run of ${formatCodeSpan(act.path)} by ${formatCodeSpan(act.event)}`,
  );
  const advice = `Seen on [a draft of ours](${draft}). Have it leave ${formatCodeSpan(`${PROOF_PREFIX}**`)} out: 30 days after that draft a proof is tried again, and before that on pull requests where it acts too.`;
  return [text(formatList(named, TESTS_SHOWN)), text(advice)];
}

/** Of what was pushed before it was refused. */
function describeGivenUp({ progress }: Pick<ForeignProof, 'progress'>): string {
  if (progress.phase !== 'ended' || progress.posted === null) return '';
  const { posted, uncancelled = 0 } = progress;
  const draft = `[Our draft](${posted.url})`;
  if (uncancelled === 0) return `${draft} is closed, and what ran for it is cancelled.`;
  const left = formatCounted(uncancelled, 'run');
  return `${draft} is closed. GitHub did not let us cancel ${left} of it, which takes the permission ${formatCodeSpan('actions: write')}.`;
}

function describeBases({ redBase, greenBase }: { readonly redBase: string; readonly greenBase: string }): string {
  if (redBase === '' && greenBase === '') return '';
  const name = (sha: string) => (sha === '' ? 'an unknown base' : formatCodeSpan(sha.slice(0, 12)));
  if (redBase === greenBase) return `Both ran on ${name(redBase)}.`;
  return `The tests alone ran on ${name(redBase)}, the pull request on ${name(greenBase)}.`;
}

function renderCommands(proof: ForeignProof) {
  const commands = listForeignCommands(proof);
  return [text(commands.length === 0 ? '' : 'To see it yourself, in a clone:'), code(commands.join('\n'), 'sh')];
}

/** Our branches of proofs: nothing else is left out by such a line. */
const PROOF_PREFIX = 'causeway/prove/';
const REMEDIES_SHOWN = 3;

/** Each fault with its place, and the lines of YAML that would do. */
function renderStartFaults(faults: readonly StartFault[]): readonly Block[] {
  // Stored as they were refused.
  const refusals = faults as readonly StartRefusal[];
  const remedies = refusals.flatMap((refusal) => {
    const remedy = findStartRemedy(refusal, PROOF_PREFIX);
    return remedy === null ? [] : [{ path: refusal.path, ...remedy }];
  });
  return [
    text(formatList(refusals.map(renderStartRefusal), TESTS_SHOWN)),
    ...remedies
      .slice(0, REMEDIES_SHOWN)
      .flatMap(({ path, where, lines }) => [
        text(`These lines would leave our branches out, in ${formatCodeSpan(path)} ${WHERE[where]}:`),
        code(lines.join('\n'), 'yaml'),
      ]),
  ];
}

const WHERE = { event: 'at that event', jobs: 'in each of its jobs', job: 'in that job' } as const;

/** On a newer head than the proven one. */
export function renderStaleProof({ head }: Pick<ForeignProof, 'head'>): ProofRunText {
  return {
    status: 'completed',
    conclusion: 'action_required',
    title: `Out of date: tests or change differ from ${head.slice(0, 7)}, where the proof was made`,
    summary: 'A newer commit changes what was proven. Comment `/analyse prove` for a proof of this one.',
  };
}

/** The draft of the red half, with nobody's name. */
export function renderProofDraft({ id, pullRequest }: Pick<ForeignProof, 'id' | 'pullRequest'>): {
  readonly title: string;
  readonly body: string;
} {
  const body = [
    `Only the tests of #${pullRequest}, without its change: they should fail here. CI runs them once.`,
    '',
    'There is nothing to review or to merge. This draft and its branch go when the checks have ended.',
    '',
    `<!-- causeway proof=${id} -->`,
  ].join('\n');
  return { title: `Proof for #${pullRequest} (do not merge)`, body };
}

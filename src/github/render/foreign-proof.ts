// The texts of a proof of somebody else's pull request: its check run, its draft, and what an agent can act on.
import { formatCodeSpan, sanitiseInline } from 'causeway-safe-markdown';
import { formatCounted } from '../../core/counted.ts';
import {
  describeForeignResult,
  describePlacedTest,
  describeProofPlan,
  type ForeignProof,
  type ForeignResult,
  listForeignCommands,
  listProofInstructions,
  nameProofDraft,
  PROOF_BRANCHES,
  type ProofState,
  type ProvenCheck,
  type ProveRefusal,
  type RedPlan,
  type StartRefusal,
  writeProofBrief,
} from '../../core/proof/index.ts';
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

type EndedForeignProof = Extract<ForeignProof['progress'], { readonly phase: 'ended' }>;
type JudgedResult = Extract<ForeignResult, { readonly kind: 'judged' }>;

const TESTS_SHOWN = 20;

/** Title and summary of the check run `Causeway / proof`. */
export function renderProofRun(shown: ShownForeignProof): ProofRunText {
  const { progress } = shown.proof;
  if (progress.phase === 'ended') {
    const isProven = progress.result.kind === 'judged' && progress.result.verdict.state === 'proven';
    return {
      status: 'completed',
      conclusion: isProven ? 'success' : 'action_required',
      title: formatPlainLabel(describeForeignResult(shown.proof), MAX_CHECK_TITLE),
      summary: renderForeignResult(shown, progress),
    };
  }
  return { status: 'in_progress', conclusion: 'action_required', ...renderProgress(shown.proof.pullRequest, progress) };
}

function renderProgress(
  pullRequest: number,
  progress: Exclude<ForeignProof['progress'], { readonly phase: 'ended' }>,
): Pick<ProofRunText, 'title' | 'summary'> {
  switch (progress.phase) {
    case 'asked': {
      const { run, behind } = progress;
      const title =
        behind === undefined
          ? 'Waiting for the checks of this commit'
          : behind === pullRequest
            ? 'Waiting for the proof of an earlier commit to end'
            : `Waiting for the proof of pull request ${behind} to end`;
      return { title, summary: `Nothing is pushed yet. ${describeProofPlan({ pullRequest, run })}` };
    }
    case 'opening':
      return {
        title: 'Its tests are being pushed without its change',
        summary: describeProofPlan({ pullRequest, run: progress.run, isReady: true }),
      };
    case 'red': {
      const { url, branch } = progress.posted;
      return {
        title: 'Its tests run without its change',
        summary: `In [a draft of ours](${url}), on the branch ${formatCodeSpan(branch)}: both go when the checks there have ended.`,
      };
    }
  }
}

function renderForeignResult(shown: ShownForeignProof, { result, plan, posted }: EndedForeignProof): string {
  const { proof } = shown;
  const said = describeForeignResult(proof);
  // The title says it, as far as it reaches.
  const whole = `**${sanitiseInline(said, 1_000)}.**`;
  const lead = said.length > MAX_CHECK_TITLE ? whole : '';
  if (result.kind === 'refused') {
    const summary = renderProveRefusal(proof, { lead, plan, because: result.because });
    // GitHub takes no empty one.
    return summary.trim() === '' ? whole : summary;
  }
  const { verdict, firstError } = result;
  const brief = writeProofBrief(proof, shown.repository);
  const isForBot = brief !== '' && plan?.isByBot === true;
  const [task = ''] = listProofInstructions(result);
  return renderMarkdownPage({
    open: [
      text(lead),
      ...renderTests(result, plan),
      text(firstError === '' ? '' : 'First error without the change:'),
      code(firstError, 'text'),
      text(verdict.state === 'proven' ? formatList(renderRuns(shown, verdict.checks), TESTS_SHOWN) : ''),
      text(describeBases(result)),
      text(
        posted === null
          ? ''
          : `The tests alone: commit ${formatCodeSpan(posted.testCommit.slice(0, 12))} of [a draft of ours](${posted.url}), closed since.`,
      ),
      ...(verdict.state === 'proven' ? [text(READ)] : renderCommands(proof)),
      ...(isForBot
        ? [text('For the author:'), code(brief, 'text')]
        : [text(task === '' ? (NEXT[verdict.state] ?? '') : `${task} ${AGAIN}`)]),
    ],
    folds: [
      // Many an agent works under the account of a person.
      { summary: 'For a coding agent', blocks: isForBot ? [] : [code(brief, 'text')] },
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
  const advice = `Seen on [a draft of ours](${draft}). Have it leave ${formatCodeSpan(`${PROOF_BRANCHES}**`)} out: 30 days after that draft a proof is tried again, and before that on pull requests where it acts too.`;
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

interface ShownProveRefusal {
  readonly lead: string;
  readonly plan: RedPlan | null;
  readonly because: ProveRefusal;
}

function renderProveRefusal(proof: ForeignProof, { lead, plan, because }: ShownProveRefusal): string {
  const paths = because.code === 'guarded' ? because.paths.map(formatCodeSpan) : [];
  return renderMarkdownPage({
    open: [
      text(lead),
      ...(because.code === 'starts' ? renderStartFaults(because.faults) : []),
      ...(because.code === 'besides' ? renderActs(because) : []),
      text(paths.length === 0 ? '' : `It changes:\n${formatList(paths, TESTS_SHOWN)}`),
      text(describeGivenUp(proof)),
      ...(plan === null && AT_HOME.has(because.code) ? renderHome(proof) : renderCommands(proof)),
    ],
  });
}

const READ = 'Whether they are the right tests, a person has to read.';
const AGAIN = 'Then comment `/analyse prove` on the new commit.';
const NEXT: Partial<Readonly<Record<ProofState, string>>> = {
  base_red:
    'While it fails there without any new test, nothing more can be shown, also where this pull request is what mends it. Once it passes on the base by other means, bring this branch up to date and comment `/analyse prove` again.',
  not_covered: 'A proof needs a job of GitHub Actions whose log names the tests that fail.',
  not_run: 'A proof needs CI that runs for pull requests, drafts among them.',
};

/** Of a verdict that says which of them failed by itself. */
function renderTests({ verdict, tests, quiet }: JudgedResult, plan: RedPlan | null): readonly Block[] {
  const isKnown = verdict.state === 'proven' || verdict.state === 'not_reproduced';
  const failed = isKnown ? tests.filter((title) => !quiet.includes(title)) : [];
  const list = (heading: string, titles: readonly string[]) => {
    const placed = titles.map((title) => formatCodeSpan(describePlacedTest(plan?.titled ?? [], title)));
    return text(titles.length === 0 ? '' : `${heading}\n${formatList(placed, TESTS_SHOWN)}`);
  };
  return [
    list(`${failed.length === 1 ? 'Fails' : 'Fail'} without the change:`, failed),
    list(`${quiet.length === 1 ? 'Does' : 'Do'} not fail without the change:`, quiet),
  ];
}

/** Checks of others may lead anywhere. */
function renderRuns(shown: ShownForeignProof, checks: readonly ProvenCheck[]): readonly string[] {
  const link = (word: string, url: string) => (isOfRepository(url, shown) ? `[${word}](${url})` : word);
  return checks.map(
    ({ name, red, green }) =>
      `${formatCodeSpan(name)}: ${link('red without the change', red.url)}, ${link('green with it', green.url)}`,
  );
}

function describeBases({ redBase, greenBase }: Pick<JudgedResult, 'redBase' | 'greenBase'>): string {
  if (redBase === '' && greenBase === '') return '';
  const name = (sha: string) => (sha === '' ? 'a commit that no log names' : formatCodeSpan(sha.slice(0, 12)));
  // The checks of the head are not read for it where the tests alone decide.
  if (greenBase === '') return `The tests alone ran on ${name(redBase)} of the base.`;
  if (redBase === greenBase) return `Both ran on ${name(redBase)} of the base.`;
  return `Of the base, the tests alone ran on ${name(redBase)}, the pull request on ${name(greenBase)}.`;
}

function renderCommands(proof: ForeignProof) {
  const commands = listForeignCommands(proof);
  return [text(commands.length === 0 ? '' : 'To see it yourself, in a clone:'), code(commands.join('\n'), 'sh')];
}

/** Refused before its files were looked at. */
const AT_HOME: ReadonlySet<ProveRefusal['code']> = new Set<ProveRefusal['code']>([
  'fork',
  'dependabot',
  'guarded',
  'too_large',
  'many_tests',
  'reads_run',
  'day_limit',
]);

function renderHome({ pullRequest }: Pick<ForeignProof, 'pullRequest'>) {
  const commands = [
    `git fetch origin pull/${pullRequest}/head`,
    'git switch --detach "$(git merge-base origin/HEAD FETCH_HEAD)"',
    'git checkout FETCH_HEAD -- TESTS   # the files of its tests alone: they should fail',
    'git switch --detach FETCH_HEAD   # and the change: they should pass',
  ];
  return [
    text('To see it yourself, in a clone, where the code of the pull request may run:'),
    code(commands.join('\n'), 'sh'),
  ];
}

const REMEDIES_SHOWN = 3;

/** Each fault with its place, and the lines of YAML that would do. */
function renderStartFaults(refusals: readonly StartRefusal[]): readonly Block[] {
  const remedies = refusals.flatMap((refusal) => {
    const remedy = findStartRemedy(refusal, PROOF_BRANCHES);
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

/** Why what was examined is not what is there: a newer head with other tests or another change, or another base branch. */
export type StaleBy = 'head' | 'base';

/** `plan`: of what was examined. */
export function renderStaleProof(
  { head }: Pick<ForeignProof, 'head'>,
  { baseBranch }: Pick<RedPlan, 'baseBranch'>,
  by: StaleBy,
): ProofRunText {
  const text =
    by === 'head'
      ? {
          title: `Out of date: tests or change are not those of ${head.slice(0, 7)}, which was examined`,
          summary:
            'A newer commit has other tests or another change than the one that was examined. Comment `/analyse prove` for a proof of this one.',
        }
      : {
          title: formatPlainLabel(
            `Out of date: the pull request was examined onto “${baseBranch}”, and has another base branch now`,
            MAX_CHECK_TITLE,
          ),
          summary: `It was set to another base branch than ${formatCodeSpan(baseBranch)}, onto which it was examined. Comment \`/analyse prove\` for a proof onto this one.`,
        };
  return { status: 'completed', conclusion: 'action_required', ...text };
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
  return { title: nameProofDraft({ pullRequest }), body };
}

// Whether confidence can be relied on: a diagram of how often answers of each confidence were right, the same as tables, and
// the threshold for unasked pull requests with its reason; for one project, or for all.
import { html } from 'hono/html';
import { formatPercent } from '../core/issue/index.ts';
import {
  type Calibration,
  calibrate,
  decideThreshold,
  describeThreshold,
  type Reliability,
  type Threshold,
  toJudged,
} from '../core/outcome/index.ts';
import { isGithubProject } from '../core/project/index.ts';
import { listKnownProjects } from '../services/index.ts';
import {
  createCrumbs,
  DASH,
  describeVerdict,
  findSeenProject,
  formatCount,
  formatPlural,
  NOTHING,
  renderEmpty,
  renderMissing,
  renderPlainLine,
  renderProjectHead,
  renderSection,
  renderTable,
} from './components.ts';
import { type Html, renderPage } from './layout.ts';
import type { PageContext, WebDeps } from './web-deps.ts';

const WHAT_COUNTS = html`<p class="hint">An answer was right if its pull request was merged with at least half of its lines, or another change
in the same function fixed the problem; wrong if it was closed or reverted, or the fix was in other files. What people say with
<code>/analyse right</code> and <code>/analyse wrong</code> counts more, 👍 and 👎 less. The rest says nothing.</p>`;

/** GET /projects/{projectId}/calibration */
export async function getProjectCalibration(c: PageContext, deps: WebDeps): Promise<Response> {
  const seen = await findSeenProject(c, deps);
  const { project } = seen;
  const followed = await deps.store.listCalibrated([project.id]);
  const { threshold: configured } = await deps.settingsOf(project, c.get('asking').signal);
  const threshold = isGithubProject(project) ? decideThreshold(toJudged(followed), configured) : null;
  const body = html`${renderProjectHead(seen, 'calibration')}
${renderCalibration(calibrate(followed), threshold)}
<p><a href="/calibration">All your projects together</a></p>`;
  const crumbs = createCrumbs(project, { text: 'Calibration', href: `/projects/${project.id}/calibration` });
  return renderPage(c, deps, { title: `Calibration · ${project.name}`, body, section: 'projects', crumbs });
}

/** GET /calibration */
export async function getCalibrationPage(c: PageContext, deps: WebDeps): Promise<Response> {
  const { projects, isWhole } = await listKnownProjects(deps, c.get('asking'));
  const followed = await deps.store.listCalibrated(projects.map(({ id }) => id));
  const body = html`<h1>Calibration</h1>${renderMissing(isWhole)}
<p>All projects that you can see, together. Each project has a page of its own, with its threshold.</p>
${renderCalibration(calibrate(followed), null)}`;
  return renderPage(c, deps, { title: 'Calibration', section: 'calibration', body });
}

function renderCalibration(calibration: Calibration, threshold: Threshold | null): Html {
  return html`${threshold === null ? NOTHING : renderThreshold(threshold)}
${renderSection('reliability', 'Reliability', renderReliability(calibration, threshold))}
${renderSection('verdicts', 'Verdicts on red checks', renderVerdicts(calibration))}`;
}

function renderThreshold(threshold: Threshold): Html {
  const body = html`<p>A fix for a failing default branch is opened without a request from a confidence of <strong>${threshold.value}</strong>.
${renderPlainLine(describeThreshold(threshold), 400)}</p>`;
  return renderSection('threshold', 'Threshold', body);
}

function renderReliability(calibration: Calibration, threshold: Threshold | null): Html {
  const { right, wrong, unknown, brier, deciles } = calibration;
  const known = right + wrong;
  if (known === 0) {
    return html`${renderEmpty(`Nothing is known yet of ${formatPlural(unknown, 'answer')}.`)}${WHAT_COUNTS}`;
  }
  const isPoor = known < 30 ? ' That is few: the lines show how little it says.' : '';
  return html`<p>${formatCount(right)} of ${formatPlural(known, 'answer')} right${unknown === 0 ? '' : `; of ${formatCount(unknown)} more nothing is known`}.${isPoor}
Brier score ${brier === null ? '' : brier.toFixed(3)} (0 is perfect, 0.25 is a coin).</p>
${renderDiagram(deciles, threshold)}
${renderTable({
  caption: 'How often answers of each confidence were right',
  style: 'ledger',
  columns: [
    'Confidence',
    ['On average', 'number'],
    ['Answers', 'number'],
    ['Right', 'number'],
    ['Share', 'number'],
    '95 % interval',
  ],
  rows: deciles.filter(({ count }) => count > 0).map(renderBand),
})}${WHAT_COUNTS}`;
}

function renderBand(band: Reliability): readonly (Html | string)[] {
  const { from, to, confidence, count, right, share, low, high } = band;
  return [
    `${formatPercent(from)} to ${formatPercent(to)}`,
    confidence === null ? DASH : formatPercent(confidence),
    formatCount(count),
    formatCount(right),
    share === null ? DASH : formatPercent(share),
    `${formatPercent(low)} to ${formatPercent(high)}`,
  ];
}

/** Of the plot, in units of the drawing. */
const SIDE = 300;
const LEFT = 50;
const TOP = 12;
/** Of the longest bar of counts, below the plot. */
const BAR = 44;
const BARS_TOP = TOP + SIDE + 34;
const TICKS = [0, 0.25, 0.5, 0.75, 1];

const toX = (confidence: number) => LEFT + confidence * SIDE;
const toY = (share: number) => TOP + (1 - share) * SIDE;

/** Without colour the shapes say it: the dashed diagonal is perfect, a dot is a share, its line the interval. */
function renderDiagram(deciles: readonly Reliability[], threshold: Threshold | null): Html {
  const known = deciles.filter(({ count }) => count > 0);
  const most = Math.max(...known.map(({ count }) => count));
  const bottom = TOP + SIDE;
  return html`<figure class="diagram square"><svg class="chart" viewBox="0 0 ${LEFT + SIDE + 24} ${BARS_TOP + BAR + 22}" role="img" aria-labelledby="diagram-title">
<title id="diagram-title">Share of right answers by stated confidence, with intervals and counts. The table below has the same figures.</title>
<rect class="frame" x="${LEFT}" y="${TOP}" width="${SIDE}" height="${SIDE}"/>
${TICKS.map(
  (tick) => html`<line class="grid" x1="${LEFT}" x2="${LEFT + SIDE}" y1="${toY(tick)}" y2="${toY(tick)}"/>
<text x="${LEFT - 6}" y="${toY(tick) + 4}" text-anchor="end">${formatPercent(tick)}</text>
<text x="${toX(tick)}" y="${bottom + 16}" text-anchor="middle">${formatPercent(tick)}</text>`,
)}
<line class="perfect" x1="${toX(0)}" y1="${toY(0)}" x2="${toX(1)}" y2="${toY(1)}"/>
${threshold === null ? '' : renderThresholdLine(threshold.value)}
${known.map(renderDot)}
${known.map((band) => renderBar(band, most))}
</svg><figcaption class="hint">Across: stated confidence. Up: share that was right, with its 95 % interval. On the dashed line confidence is exactly right; below it, too high.
Bars: number of answers.${threshold === null ? '' : ' Dotted: the threshold.'}</figcaption></figure>`;
}

function renderThresholdLine(value: number): Html {
  const x = toX(value);
  return html`<line class="threshold" x1="${x}" x2="${x}" y1="${TOP}" y2="${TOP + SIDE}"/>
<text x="${x - 5}" y="${TOP + SIDE - 8}" text-anchor="end">from ${formatPercent(value)}</text>`;
}

function renderDot({ confidence, share, low, high }: Reliability): Html {
  const x = toX(confidence ?? 0);
  return html`<line class="interval" x1="${x}" x2="${x}" y1="${toY(low)}" y2="${toY(high)}"/>
<circle class="dot" cx="${x}" cy="${toY(share ?? 0)}" r="5"/>`;
}

function renderBar({ from, to, count }: Reliability, most: number): Html {
  const height = Math.max(2, (count / most) * BAR);
  const middle = toX((from + to) / 2);
  return html`<rect class="bar" x="${toX(from) + 3}" y="${BARS_TOP + BAR - height}" width="${SIDE / 10 - 6}" height="${height}"/>
<text x="${middle}" y="${BARS_TOP + BAR + 16}" text-anchor="middle">${formatCount(count)}</text>`;
}

function renderVerdicts({ verdicts }: Calibration): Html {
  const known = verdicts.filter(({ confirmed, refuted }) => confirmed + refuted > 0);
  if (known.length === 0) return renderEmpty('No verdict has been confirmed or refuted yet.');
  return html`${renderTable({
    caption: 'Verdicts confirmed and refuted by what followed',
    style: 'ledger',
    columns: ['Verdict', ['Confirmed', 'number'], ['Refuted', 'number'], ['Share', 'number']],
    rows: known.map(({ verdict, confirmed, refuted }) => [
      describeVerdict(verdict),
      formatCount(confirmed),
      formatCount(refuted),
      formatPercent(confirmed / (confirmed + refuted)),
    ]),
  })}<p class="hint">“${describeVerdict('code')}” is confirmed by a later commit that passes, and refuted by a pass at the same commit, which confirms “${describeVerdict('flaky')}” and “${describeVerdict('infrastructure')}”.</p>`;
}

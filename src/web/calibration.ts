// Whether confidence can be relied on: how many answers were right, a chart of that by confidence, the same as a table, and
// the threshold for unasked pull requests with its reason; for one project, or for all.

import { sanitiseLine } from 'causeway-visible-text';
import { scaleLinear } from 'd3-scale';
import { html } from 'hono/html';
import { formatPercent } from '../core/issue/index.ts';
import {
  type Calibration,
  calibrate,
  decideThreshold,
  describeThreshold,
  type FollowedAnswer,
  type Reliability,
  type Threshold,
  toJudged,
} from '../core/outcome/index.ts';
import { isGithubProject, type Project } from '../core/project/index.ts';
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

/** With fewer answers a chart would show chance. */
const LEAST_DRAWN = 5;
/** From here on the intervals are narrow enough to say something. */
const LEAST_TELLING = 30;

const WHAT_COUNTS = html`<details><summary>What counts as right</summary><p>Right: the pull request was merged with at least half of its lines, or another change
in the same function fixed the problem. Wrong: it was closed or reverted, or the fix was in other files. <code>/analyse right</code> and
<code>/analyse wrong</code> count more, 👍 and 👎 less. All others are unrated.</p></details>`;

/** GET /projects/{projectId}/calibration */
export async function getProjectCalibration(c: PageContext, deps: WebDeps): Promise<Response> {
  const seen = await findSeenProject(c, deps);
  const { project } = seen;
  const followed = await deps.store.listCalibrated([project.id]);
  const { threshold: configured, noPullRequests } = await deps.settingsOf(project, c.get('asking').signal);
  const isOpening = isGithubProject(project) && noPullRequests === '';
  const threshold = isOpening ? decideThreshold(toJudged(followed), configured) : null;
  const body = html`${renderProjectHead(seen, 'calibration')}
${renderCalibration(calibrate(followed), threshold, noPullRequests)}
<p><a href="/calibration">All your projects</a></p>`;
  const crumbs = createCrumbs(project, { text: 'Calibration', href: `/projects/${project.id}/calibration` });
  return renderPage(c, deps, { title: `Calibration · ${project.name}`, body, section: 'projects', crumbs });
}

/** GET /calibration */
export async function getCalibrationPage(c: PageContext, deps: WebDeps): Promise<Response> {
  const { projects, isWhole } = await listKnownProjects(deps, c.get('asking'));
  const followed = await deps.store.listCalibrated(projects.map(({ id }) => id));
  const body = html`<h1>Calibration</h1>${renderMissing(isWhole)}
<p class="soft">All projects that you can see.</p>
${renderCalibration(calibrate(followed), null)}
${renderProjects(projects, followed)}`;
  return renderPage(c, deps, { title: 'Calibration', section: 'calibration', body });
}

/** `noPullRequests`: why none is opened, instead of the threshold; "" for nothing. */
function renderCalibration(calibration: Calibration, threshold: Threshold | null, noPullRequests = ''): Html {
  return html`${renderSection('reliability', 'Were the answers right?', renderReliability(calibration, threshold))}
${noPullRequests === '' ? NOTHING : renderSection('threshold', 'Threshold', html`<p>${renderPlainLine(noPullRequests, 400)}</p>`)}
${threshold === null ? NOTHING : renderThreshold(threshold)}
${renderSection('verdicts', 'Verdicts on red checks', renderVerdicts(calibration))}`;
}

function renderThreshold(threshold: Threshold): Html {
  const body = html`<p>Fixes for a red default branch open automatically from <strong>${formatPercent(threshold.value)}</strong> confidence (${renderPlainLine(describeThreshold(threshold), 400)}).</p>`;
  return renderSection('threshold', 'Threshold', body);
}

function nameRated(right: number, known: number): string {
  return `${formatCount(right)} of ${formatCount(known)}`;
}

/** After how many of how many, such as "14 of 16". */
export function sayRated(right: number): string {
  return `rated answers ${right === 1 ? 'was' : 'were'} right`;
}

function renderReliability(calibration: Calibration, threshold: Threshold | null): Html {
  const { right, wrong, unknown, answers, brier, deciles } = calibration;
  const known = right + wrong;
  if (answers === 0) return renderEmpty('No answers yet.', WHAT_COUNTS);
  if (known === 0) return renderEmpty(`${formatPlural(unknown, 'answer')}, none rated yet.`, WHAT_COUNTS);
  const unrated = unknown === 0 ? '' : `; ${formatCount(unknown)} unrated`;
  const isDrawn = known >= LEAST_DRAWN;
  const doubt = !isDrawn ? ' Too few to judge.' : known < LEAST_TELLING ? ' Few answers: the intervals are wide.' : '';
  return html`<p class="figure"><strong>${nameRated(right, known)}</strong> ${sayRated(right)}${unrated}.${doubt}</p>
${isDrawn ? renderReliabilityChart(deciles, threshold) : ''}
${
  isDrawn
    ? html`<details><summary>The same as a table</summary>${renderTable({
        caption: 'How often answers of each confidence were right',
        style: 'ledger slim',
        columns: [
          'Confidence',
          ['On average', 'number'],
          ['Answers', 'number'],
          ['Right', 'number'],
          ['Share', 'number'],
          ['95 % interval', 'number'],
        ],
        rows: deciles.filter(({ count }) => count > 0).map(renderBand),
      })}${brier === null ? '' : html`<p class="hint">Brier score ${brier.toFixed(3)}: 0 is perfect, 0.25 a coin.</p>`}</details>`
    : ''
}${WHAT_COUNTS}`;
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

/** Each project with its own, those with most rated answers first; nothing where there is one only. */
function renderProjects(projects: readonly Project[], followed: readonly FollowedAnswer[]): Html {
  const byProject = Map.groupBy(followed, ({ projectId }) => projectId);
  const rows = projects
    .map((project) => ({ project, calibration: calibrate(byProject.get(project.id) ?? []) }))
    .filter(({ calibration }) => calibration.answers > 0)
    .sort((one, other) => countRated(other.calibration) - countRated(one.calibration));
  if (rows.length < 2) return NOTHING;
  const table = renderTable({
    caption: 'Rated answers by project',
    style: 'ledger slim',
    columns: ['Project', ['Right', 'number'], ['Share', 'number'], ['Unrated', 'number']],
    rows: rows.map(({ project, calibration: { right, wrong, unknown } }) => [
      html`<a href="/projects/${project.id}/calibration">${sanitiseLine(project.name, 150)}</a>`,
      right + wrong === 0 ? DASH : nameRated(right, right + wrong),
      right + wrong < LEAST_DRAWN ? DASH : formatPercent(right / (right + wrong)),
      formatCount(unknown),
    ]),
  });
  return renderSection('projects', 'By project', table);
}

function countRated({ right, wrong }: Calibration): number {
  return right + wrong;
}

/** Of the plot, in units of the drawing. */
const PLOT = { left: 62, right: 362, top: 24, bottom: 244 };
/** Of the bars of counts, below the plot. */
const BARS = { top: 290, bottom: 330 };
/** Of the diagonal, in degrees. */
const SLOPE = -Math.round((Math.atan2(PLOT.bottom - PLOT.top, PLOT.right - PLOT.left) * 180) / Math.PI);
const TICKS = [0, 0.25, 0.5, 0.75, 1];
const toX = scaleLinear([0, 1], [PLOT.left, PLOT.right]);
const toY = scaleLinear([0, 1], [PLOT.bottom, PLOT.top]);

/** Without colour the shapes say it: the dashed diagonal is perfect, a dot is a share, its line the interval. */
function renderReliabilityChart(deciles: readonly Reliability[], threshold: Threshold | null): Html {
  const known = deciles.filter(({ count }) => count > 0);
  const toHeight = scaleLinear([0, Math.max(...known.map(({ count }) => count))], [0, BARS.bottom - BARS.top]);
  const middle = toX(0.5);
  return html`<figure class="diagram square"><svg class="chart" viewBox="0 0 ${PLOT.right + 24} ${BARS.bottom + 36}" role="img" aria-labelledby="diagram-title">
<title id="diagram-title">Share of right answers by stated confidence, with intervals and counts. The table below has the same figures.</title>
<rect class="frame" x="${PLOT.left}" y="${PLOT.top}" width="${PLOT.right - PLOT.left}" height="${PLOT.bottom - PLOT.top}"/>
${TICKS.map(
  (tick) => html`<line class="grid" x1="${PLOT.left}" x2="${PLOT.right}" y1="${toY(tick)}" y2="${toY(tick)}"/>
<text x="${PLOT.left - 6}" y="${toY(tick) + 4}" text-anchor="end">${formatPercent(tick)}</text>
<text x="${toX(tick)}" y="${PLOT.bottom + 16}" text-anchor="middle">${formatPercent(tick)}</text>`,
)}
<text class="axis" x="${middle}" y="${PLOT.bottom + 34}" text-anchor="middle">Stated confidence</text>
<text class="axis" transform="translate(14 ${toY(0.5)}) rotate(-90)" text-anchor="middle">Were right</text>
<line class="perfect" x1="${toX(0)}" y1="${toY(0)}" x2="${toX(1)}" y2="${toY(1)}"/>
<text transform="translate(${toX(0.2)} ${toY(0.2) - 6}) rotate(${SLOPE})">as often as stated</text>
${threshold === null ? '' : renderThresholdLine(threshold.value)}
${known.map(renderDot)}
${known.map((band) => renderBar(band, toHeight(band.count)))}
<text class="axis" x="${middle}" y="${BARS.bottom + 32}" text-anchor="middle">Answers</text>
</svg></figure>`;
}

function renderThresholdLine(value: number): Html {
  const x = toX(value);
  return html`<line class="threshold" x1="${x}" x2="${x}" y1="${PLOT.top}" y2="${PLOT.bottom}"/>
<text x="${x}" y="${PLOT.top - 8}" text-anchor="middle">opens from ${formatPercent(value)}</text>`;
}

function renderDot({ confidence, share, low, high }: Reliability): Html {
  const x = toX(confidence ?? 0);
  return html`<line class="interval" x1="${x}" x2="${x}" y1="${toY(low)}" y2="${toY(high)}"/>
<circle class="dot" cx="${x}" cy="${toY(share ?? 0)}" r="5"/>`;
}

function renderBar({ from, to, count }: Reliability, height: number): Html {
  const tall = Math.max(2, height);
  return html`<rect class="bar" x="${toX(from) + 3}" y="${BARS.bottom - tall}" width="${toX(to) - toX(from) - 6}" height="${tall}"/>
<text x="${toX((from + to) / 2)}" y="${BARS.bottom + 14}" text-anchor="middle">${formatCount(count)}</text>`;
}

function renderVerdicts({ verdicts }: Calibration): Html {
  const known = verdicts.filter(({ confirmed, refuted }) => confirmed + refuted > 0);
  if (known.length === 0) return renderEmpty('No verdict was confirmed or refuted yet.');
  return html`${renderTable({
    caption: 'Verdicts confirmed and refuted by what followed',
    style: 'ledger slim',
    columns: ['Verdict', ['Confirmed', 'number'], ['Refuted', 'number'], ['Share', 'number']],
    rows: known.map(({ verdict, confirmed, refuted }) => [
      describeVerdict(verdict),
      formatCount(confirmed),
      formatCount(refuted),
      formatPercent(confirmed / (confirmed + refuted)),
    ]),
  })}<p class="hint">“${describeVerdict('code')}” is confirmed by a later commit that passes, and refuted by a pass at the same commit, which confirms “${describeVerdict('flaky')}” and “${describeVerdict('infrastructure')}”. What somebody with write says by <code>/analyse mine</code> or <code>/analyse not-mine</code> counts first.</p>`;
}

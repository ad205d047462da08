// The settings of a project as they apply: what was changed first, then the others by what they are about; and how to change them.

import { sanitiseLine, sanitiseText } from 'causeway-visible-text';
import { html } from 'hono/html';
import {
  type EffectiveConfiguration,
  type EffectiveValue,
  isGithubProject,
  type Project,
  type ValueSource,
} from '../core/project/index.ts';
import type { SeenProject } from '../services/index.ts';
import {
  createCrumbs,
  findSeenProject,
  formatPlural,
  getRepositoryPage,
  NOTHING,
  renderCopyable,
  renderEmpty,
  renderMoment,
  renderOwnLink,
  renderPlainLine,
  renderProjectHead,
  renderSection,
  renderTable,
} from './components.ts';
import { type Html, renderPage } from './layout.ts';
import type { PageContext, WebDeps } from './web-deps.ts';

const FILE = '.github/causeway.yml';
const EXAMPLE = `mode: comment
labels: [analyse]
checks:
  exclude: ["deploy-*"]
budget:
  run: 0.50`;

/** By the first part of a key; one that is in none comes last. */
const GROUPS: readonly (readonly [title: string, keys: readonly string[]])[] = [
  ['What it does', ['mode', 'labels', 'comments', 'language', 'instructions']],
  ['Failed checks', ['checks']],
  ['Pull requests', ['pull_request', 'paths']],
  ['Model and cost', ['model', 'budget', 'limits']],
  ['Where it looks', ['scopes', 'context']],
];

/** What people call them; the key of the file stands below. */
const NAMES: Readonly<Record<string, string>> = {
  mode: 'What Causeway may write',
  labels: 'Labels that start an analysis',
  comments: 'When it comments',
  language: 'Language of answers',
  instructions: 'What it should know',
  'checks.include': 'Checks to examine',
  'checks.exclude': 'Checks to ignore',
  'checks.branches': 'Branches to examine',
  'checks.rerun': 'Re-run known flaky jobs',
  'checks.bots': 'Pull requests of bots',
  'pull_request.attempts': 'Further attempts on red checks',
  'pull_request.proof': 'Proof in CI',
  'pull_request.draft': 'Open as a draft',
  'pull_request.ready': 'Ready for review',
  'pull_request.base': 'Base branch',
  'pull_request.reviewers': 'Reviewers',
  'pull_request.threshold': 'Confidence for a fix without a request',
  'pull_request.of_strangers': 'Reports from outsiders',
  'paths.allow': 'Paths a change may touch',
  'paths.block': 'Paths it never touches',
  'budget.run': 'Limit for one investigation',
  'budget.month': 'Limit for a month',
  'limits.ci_runs_day': 'Runs of CI on request in 24 hours',
  model: 'Model',
  scopes: 'Parts of a monorepo',
  context: 'Other repositories to read',
};

/** GET /projects/{projectId}/settings */
export async function getSettings(c: PageContext, deps: WebDeps): Promise<Response> {
  const seen = await findSeenProject(c, deps);
  const { project } = seen;
  const configuration = await deps.configurationOf(project, c.get('asking').signal);
  const { problem, values } = configuration;
  const changed = values.filter(isChanged);
  const body = html`${renderProjectHead(seen, 'settings')}
${problem === '' ? '' : html`<p class="notice bad" role="alert">${renderPlainLine(problem, 1_000)}</p>`}
${renderHowToChange(project, configuration)}
${values.length === 0 ? renderEmpty('This project has no settings.') : renderChanged(project, changed)}
${renderDefaults(project, values)}
${renderSection('about', 'About', renderAbout(seen))}`;
  const crumbs = createCrumbs(project, { text: 'Settings', href: `/projects/${project.id}/settings` });
  return renderPage(c, deps, { title: `Settings · ${project.name}`, body, section: 'projects', crumbs });
}

function isChanged({ from, limit }: EffectiveValue): boolean {
  return from.kind !== 'default' || limit !== '';
}

function renderHowToChange(project: Project, { url, yaml }: EffectiveConfiguration): Html {
  if (!isGithubProject(project)) {
    return html`<p>These values come from the environment in which Causeway was started. In local mode, only <code>context</code> of <code>${FILE}</code> is used. docs/configuration.md lists all settings.</p>`;
  }
  const whole =
    yaml === ''
      ? ''
      : html`<details><summary>Settings as YAML (without scopes and context)</summary>${renderCopyable('settings-yaml', yaml, 'the YAML')}</details>`;
  return html`<p>To change one, edit <code>${FILE}</code> on the default branch. It is read again for every analysis; the operator's settings are upper limits.
${url === '' ? html`There is no such file yet, neither here nor in the owner's <code>.github</code> repository.` : renderOwnLink(project, url, 'Configuration file')}</p>
<details><summary>Example</summary><pre tabindex="0" role="region" aria-label="Example of the file"><code>${EXAMPLE}</code></pre>
<p class="hint">All keys are in docs/configuration.md of Causeway, with a schema for editors.</p></details>
${whole}`;
}

function renderChanged(project: Project, values: readonly EffectiveValue[]): Html {
  if (values.length === 0) return renderSection('changed', 'Changed', html`<p>Nothing: the defaults apply.</p>`);
  const table = renderTable({
    caption: `Changed settings of ${sanitiseLine(project.name, 100)}`,
    style: 'values',
    columns: ['Setting', 'Value', 'Set by', ['Meaning', 'soft']],
    rows: values.map((value) => [
      renderName(value),
      renderValue(value),
      renderValueSource(value.from),
      renderPlainLine(value.means, 1_000),
    ]),
  });
  return renderSection('changed', 'Changed', table);
}

function renderDefaults(project: Project, values: readonly EffectiveValue[]): Html {
  const left = values.filter((value) => !isChanged(value));
  const getGroup = ({ name }: EffectiveValue) =>
    GROUPS.find(([, keys]) => keys.includes(name.split('.')[0] ?? ''))?.[0] ?? 'Other';
  const titles = [...GROUPS.map(([title]) => title), 'Other'];
  const groups = titles.flatMap((title, at) => {
    const own = left.filter((value) => getGroup(value) === title);
    if (own.length === 0) return [];
    const table = renderTable({
      caption: `${title}: settings of ${sanitiseLine(project.name, 100)} with their defaults`,
      style: 'values',
      columns: ['Setting', 'Value', ['Meaning', 'soft']],
      rows: own.map((value) => [renderName(value), renderValue(value), renderPlainLine(value.means, 1_000)]),
    });
    return [html`<h3 id="settings-${at}">${title}</h3>${table}`];
  });
  if (groups.length === 0) return NOTHING;
  return renderSection(
    'defaults',
    'Defaults',
    html`<details><summary>${formatPlural(left.length, 'setting')} not changed</summary>${groups}</details>`,
  );
}

function renderName({ name }: EffectiveValue): Html {
  const words = Object.hasOwn(NAMES, name) ? NAMES[name] : '';
  return words === '' ? html`<code>${name}</code>` : html`${words}<span class="below"><code>${name}</code></span>`;
}

function renderValue({ value, from, limit }: EffectiveValue): Html {
  const given = sanitiseText(value, 4_000);
  const none = from.kind === 'owner' && limit !== '' ? 'not shown' : 'nothing';
  return html`<span class="value">${given === '' ? html`<span class="soft">${none}</span>` : given}</span>
${limit === '' ? '' : html`<span class="limit below"><strong>Effective:</strong> ${renderPlainLine(limit)}</span>`}`;
}

function renderValueSource(from: ValueSource): Html {
  switch (from.kind) {
    case 'default':
      return html`<span class="soft">default</span>`;
    case 'file':
      return html`this repository's file`;
    case 'owner':
      return html`the file of <code>${sanitiseLine(from.repository, 200)}</code>`;
    case 'operator':
      return html`the operator: <code>${from.variable}</code>`;
  }
}

function renderAbout({ project, role }: SeenProject): Html {
  const { id, source, createdAt } = project;
  return html`<dl class="facts"><dt>Id for the API</dt><dd><code>${id}</code></dd>
${renderSource(project)}
${source.kind === 'github' ? html`<dt>Your role</dt><dd>${role}</dd>` : ''}
<dt>Added</dt><dd>${renderMoment(createdAt)}</dd></dl>`;
}

function renderSource(project: Project): Html {
  const { source } = project;
  switch (source.kind) {
    case 'path':
      return html`<dt>Folder</dt><dd><code>${sanitiseLine(source.path, 1_000)}</code></dd>`;
    // The address may contain credentials.
    case 'url':
      return NOTHING;
    case 'github':
      return html`<dt>Repository</dt><dd>${renderOwnLink(project, getRepositoryPage(project), sanitiseLine(project.name, 300))}</dd>
<dt>Default branch</dt><dd>${source.defaultBranch === '' ? 'none: it has no commits' : html`<code>${sanitiseLine(source.defaultBranch, 300)}</code>`}</dd>`;
  }
}

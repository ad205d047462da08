// What counts for a project: each value, where it is from, and what it means.
import type { Handler } from 'hono';
import { html } from 'hono/html';
import { inertLine, inertText } from '../../core/inert-text.ts';
import { isGithubProject, type Project } from '../../core/project.ts';
import type { EffectiveConfiguration, EffectiveValue, ValueSource } from '../../core/settings.ts';
import { type Html, show } from '../show.ts';
import type { WebDeps, WebEnv } from '../web-deps.ts';
import { line, moment } from '../words.ts';
import { ownLink, repositoryPage } from './github-links.ts';
import { projectTabs } from './project-tabs.ts';
import { crumbsOf, projectHead, type SeenProject, seenProject } from './seen-project.ts';

const FILE = '.github/causeway.yml';

/** GET /projects/{projectId}/settings */
export function getSettings(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const seen = await seenProject(c, deps);
    const { project } = seen;
    const configuration = await deps.configurationOf(project, c.get('asking').signal);
    const body = html`${projectHead(seen)}
${projectTabs(project, 'settings')}
${configuration.problem === '' ? '' : html`<p class="notice bad" role="alert">${line(configuration.problem, 1_000)}</p>`}
<section aria-labelledby="configuration"><h2 id="configuration">Configuration</h2>
${howToChange(project, configuration)}
${valueTable(project, configuration)}</section>
${aboutProject(seen)}`;
    const crumbs = crumbsOf(project, { text: 'Settings', href: `/projects/${project.id}/settings` });
    return show(c, deps, { title: `Settings · ${project.name}`, body, section: 'projects', crumbs });
  };
}

function howToChange(project: Project, { url }: EffectiveConfiguration): Html {
  if (!isGithubProject(project)) {
    return html`<p>A repository on this disk has no file of its own for this: whoever starts Causeway sets environment variables. The README names them all.</p>`;
  }
  return html`<p>To change a value, put it into <code>${FILE}</code> on the default branch. Every analysis reads the file anew; without one, the defaults count. What the operator has set is the most that a file may ask for.</p>
${url === '' ? html`<p class="soft">There is no such file, neither here nor in the owner's <code>.github</code> repository.</p>` : html`<p>${ownLink(project, url, 'The file that counts')}</p>`}
<details><summary>An example</summary><pre tabindex="0" role="region" aria-label="Example of the file"><code>${EXAMPLE}</code></pre>
<p class="hint">All keys are in docs/configuration.md of Causeway, with a schema for editors beside it.</p></details>`;
}

const EXAMPLE = `mode: comment
labels: [analyse]
checks:
  exclude: ["deploy-*"]
budget:
  run: 0.50`;

function valueTable(project: Project, { values }: EffectiveConfiguration): Html {
  if (values.length === 0) return html`<div class="empty"><p>Nothing can be set for this project.</p></div>`;
  return html`<table class="cards values"><caption class="hidden">What counts for ${inertLine(project.name, 100)}</caption>
<thead><tr><th scope="col">Name</th><th scope="col">Value</th><th scope="col">From</th><th scope="col">What it means</th></tr></thead>
<tbody>${values.map(valueRow)}</tbody></table>`;
}

function valueRow({ name, value, from, limit, means }: EffectiveValue): Html {
  const given = inertText(value, 4_000);
  const isWithheld = from.kind === 'owner' && limit !== '';
  return html`<tr><th scope="row"><code>${name}</code></th>
<td data-label="Value"><span class="value">${given === '' ? html`<span class="soft">${isWithheld ? 'not shown' : 'nothing'}</span>` : given}</span>
${limit === '' ? '' : html`<span class="limit below"><strong>Counts as:</strong> ${line(limit)}</span>`}</td>
<td data-label="From">${sourceWords(from)}</td><td class="soft">${means}</td></tr>`;
}

function sourceWords(from: ValueSource): Html {
  switch (from.kind) {
    case 'default':
      return html`<span class="soft">default</span>`;
    case 'file':
      return html`the file of this repository`;
    case 'owner':
      return html`the file of <code>${inertLine(from.repository, 200)}</code>`;
    case 'operator':
      return html`the operator: <code>${from.variable}</code>`;
  }
}

function aboutProject({ project, role }: SeenProject): Html {
  const { id, source, createdAt } = project;
  return html`<section aria-labelledby="about"><h2 id="about">About</h2><dl class="facts">
<dt>Id for the API</dt><dd><code>${id}</code></dd>
${sourceFacts(project)}
${source.kind === 'github' ? html`<dt>Your role</dt><dd>${role}</dd>` : ''}
<dt>Here since</dt><dd>${moment(createdAt)}</dd></dl></section>`;
}

function sourceFacts(project: Project): Html {
  const { source } = project;
  switch (source.kind) {
    case 'path':
      return html`<dt>Folder</dt><dd><code>${inertLine(source.path, 1_000)}</code></dd>`;
    // It may hold what opens it.
    case 'url':
      return html``;
    case 'github':
      return html`<dt>Repository</dt><dd>${ownLink(project, repositoryPage(project), inertLine(project.name, 300))}</dd>
<dt>Default branch</dt><dd>${source.defaultBranch === '' ? 'none: it has no commit' : html`<code>${inertLine(source.defaultBranch, 300)}</code>`}</dd>`;
  }
}

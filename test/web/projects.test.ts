// The list of projects: what is in it, for whom, and what stands there when there is nothing.
import { describe, expect, it } from 'vitest';
import { recorded, sighting } from '../support/store-samples.ts';
import { fieldOf, linkOf, rowsOf, textOf } from './read-text.ts';
import { onGithub, repository, webGround } from './web-ground.ts';

describe('the list of projects', () => {
  it('shows each project with what there is of it', async () => {
    await using ground = await webGround({
      repositories: [
        repository('octo/open', { isPrivate: false, isArchived: true }),
        repository('octo/shop', { isPrivate: true }),
      ],
    });
    const [, shop] = ground.projects;
    await ground.concluded({ project: shop! });
    await ground.accepted({ project: shop! });
    await recorded(ground.store, shop!.id, [sighting('one')]);
    const page = await ground.visitor.page('/projects');
    expect(rowsOf(page)).toEqual([
      ['octo/open public archived', '0', '0', '0', '–'],
      ['octo/shop private', '1', '1', '1', '2026-11-20 10:00 UTC'],
    ]);
    expect(linkOf(page, 'octo/shop')).toBe(`/projects/${shop!.id}`);
    expect(linkOf(page, '1')).toBe(`/projects/${shop!.id}/failures`);
  });

  it('leaves out what the role does not reach: a public one needs triage, a private one read', async () => {
    await using ground = await webGround({
      repositories: [repository('octo/open', { isPrivate: false }), repository('octo/shop')],
    });
    const reader = await ground.signIn('rita', 11, 'read');
    const triager = await ground.signIn('tina', 12, 'triage');
    const nobody = await ground.signIn('nora', 13, 'none');
    expect(rowsOf(await reader.page('/projects')).map(([name]) => name)).toEqual(['octo/shop private']);
    expect(rowsOf(await triager.page('/projects')).map(([name]) => name)).toEqual([
      'octo/open public',
      'octo/shop private',
    ]);
    expect(await nobody.page('/projects')).not.toContain('octo/');
  });

  it('says how to begin where this machine has no project', async () => {
    await using ground = await webGround({ projects: [] });
    const text = textOf(await ground.visitor.page('/projects'));
    expect(text).toContain('export PROJECTS=/path/to/repository');
    // A package and the image are started otherwise.
    expect(text).not.toContain('npm start');
  });

  it('says whom to ask where a person sees nothing on GitHub', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')], signInMethod: onGithub('') });
    const nobody = await ground.signIn('nora', 13, 'none');
    const page = await nobody.page('/projects');
    expect(textOf(page)).toContain('You have no projects yet.');
    expect(textOf(page)).toContain('ask for access on GitHub');
    expect(textOf(page)).toContain('within 5 minutes');
    expect(linkOf(page, 'Install the App')).toBeUndefined();
  });

  it('makes names inert', async () => {
    const name = 'octo/<img src=x onerror=alert(1)>\u202Egnp';
    await using ground = await webGround({ repositories: [repository(name)] });
    const page = await ground.visitor.page('/projects');
    expect(page).not.toContain('<img');
    expect(page).not.toContain('\u202E');
    expect(rowsOf(page)[0]?.[0]).toBe('octo/<img src=x onerror=alert(1)>gnp private');
  });
});

describe('looking for a project by name', () => {
  const names = (count: number) =>
    Array.from({ length: count }, (_, at) => `local/app-${String(at + 1).padStart(3, '0')}`);

  it('is offered once there are too many to read', async () => {
    await using few = await webGround({ projects: names(20) });
    await using many = await webGround({ projects: names(21) });
    expect(fieldOf(await few.visitor.page('/projects'), 'q')).toBeUndefined();
    expect(fieldOf(await many.visitor.page('/projects'), 'q')).toBe('');
  });

  it('finds part of a name, whatever its case', async () => {
    await using ground = await webGround({ projects: [...names(30), 'local/Shop'] });
    const page = await ground.visitor.page('/projects?q=sHO');
    expect(rowsOf(page).map(([name]) => name)).toEqual(['local/Shop local']);
    expect(fieldOf(page, 'q')).toBe('sHO');
  });

  it('goes through more than a hundred page by page, the filter too', async () => {
    await using ground = await webGround({ projects: names(205) });
    const seen: string[] = [];
    const pages: number[] = [];
    for (let next: string | undefined = '/projects?q=APP'; next !== undefined; ) {
      const page: string = await ground.visitor.page(next);
      const rows = rowsOf(page);
      pages.push(rows.length);
      seen.push(...rows.map(([name = '']) => name.replace(' local', '')));
      next = linkOf(page, 'Next page');
    }
    expect(pages).toEqual([100, 100, 5]);
    expect(seen).toEqual(names(205));
  });
});

// Signing in on this machine: the terminal prints a link that works once.
import { randomBytes } from 'node:crypto';
import type { Handler } from 'hono';
import { html } from 'hono/html';
import { requireOwnPage } from '../form-token.ts';
import { readStrangersForm } from '../read-form.ts';
import { refuseAbsentPage, WebRefusal } from '../refusal.ts';
import { show } from '../show.ts';
import { beginSession, hashOf } from '../signed-in.ts';
import type { WebDeps, WebEnv } from '../web-deps.ts';
import { takeReturnPath } from './return-cookie.ts';
import type { Threshold } from './threshold.ts';

const FORM = /^[\w-]{22}$/;

/** GET /sign-in/local: nothing happens yet, so that whatever looks ahead at links uses none up. */
export function getCodeForm(deps: WebDeps): Handler<WebEnv> {
  return (c) => {
    requireLocal(deps);
    const code = c.req.query('code') ?? '';
    if (!FORM.test(code)) throw new WebRefusal(400, usedText(deps));
    const body = html`<h1>Sign in on this machine</h1>
<p class="lead">This signs in as the owner of this machine's projects. The link works once.</p>
<form method="post" action="/sign-in/local"><input type="hidden" name="code" value="${code}">
<button class="primary" autofocus>Sign in</button></form>`;
    return show(c, deps, { title: 'Sign in', body });
  };
}

/** POST /sign-in/local */
export function signInWithCode(deps: WebDeps, threshold: Threshold): Handler<WebEnv> {
  return async (c) => {
    requireLocal(deps);
    requireOwnPage(c.req.raw, deps.baseUrl());
    threshold.countForm();
    const code = (await readStrangersForm(c)).text('code');
    const account = FORM.test(code) ? await deps.store.useSignInCode(hashOf(code), deps.now().toISOString()) : null;
    if (account === null) throw new WebRefusal(400, usedText(deps));
    await beginSession(c, deps, account);
    return c.redirect(takeReturnPath(c, deps), 303);
  };
}

/** A new code, 128 random bits, and what is stored of it. */
export function newSignInCode(): { readonly code: string; readonly hash: string } {
  const code = randomBytes(16).toString('base64url');
  return { code, hash: hashOf(code) };
}

function requireLocal({ entrance }: WebDeps): void {
  if (entrance.kind !== 'local') refuseAbsentPage();
}

function usedText({ entrance }: WebDeps): string {
  const command = entrance.kind === 'local' ? entrance.command : '';
  return `This link was used before, or is too old. Another is printed by: ${command}`;
}

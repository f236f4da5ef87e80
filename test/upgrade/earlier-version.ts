import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** An earlier version of this repository in its own directory. */
export interface EarlierVersion {
  readonly ref: string;
  readonly folder: string;
  remove(): void;
}

function git(...args: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

/**
 * Version to upgrade from: VIMANA_UPGRADE_FROM (a tag, or any commit that has the chart, such as HEAD~20), or the last
 * tag before this commit, or this commit itself, which at least shows that a restart of the operator changes nothing.
 */
export function upgradeFrom(): string {
  const given = process.env['VIMANA_UPGRADE_FROM'] ?? '';
  if (given !== '') return given;
  // The tag of this commit would be an upgrade to itself.
  return git('describe', '--tags', '--abbrev=0', 'HEAD~1') ?? 'HEAD';
}

/** Describes the upgrade, also if it leads from a commit to itself. */
export function upgradeTitle(ref: string): string {
  const isItself = git('rev-parse', '--verify', `${ref}^{commit}`) === git('rev-parse', 'HEAD');
  return `an upgrade from ${ref}${isItself ? ' to itself (VIMANA_UPGRADE_FROM can name another commit)' : ''}`;
}

/** Checks out a version beside this one. It uses the dependencies of this one unless told to install its own. */
export function earlierVersion(ref: string): EarlierVersion {
  const commit = git('rev-parse', '--verify', `${ref}^{commit}`);
  if (commit === undefined) throw new Error(`VIMANA_UPGRADE_FROM: there is no version ${ref}`);
  const folder = mkdtempSync(join(tmpdir(), 'vimana-upgrade-'));
  const tree = join(folder, 'tree');
  const remove = () => {
    git('worktree', 'remove', '--force', tree);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    if (git('worktree', 'add', '--detach', tree, commit) === undefined) throw new Error(`git cannot check out ${ref}`);
    if (!existsSync(join(tree, 'deploy/helm/vimana'))) throw new Error(`${ref} has no chart to upgrade from`);
    const isSame = git('diff', '--quiet', commit, '--', 'package-lock.json') !== undefined;
    if (isSame) symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
    else install(tree);
    return { ref, folder: tree, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function install(folder: string): void {
  const { status, stderr } = spawnSync('npm', ['install', '--no-audit', '--no-fund'], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`its dependencies cannot be installed: ${stderr}`);
}

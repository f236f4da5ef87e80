import type { InstallDeps, InstallSettings } from '#programs/cli/install';
import { type ApplyOutcome, apply, nameOf } from './apply.ts';
import { waitForServed } from './crds.ts';
import type { DesiredObject } from './desired-objects.ts';
import { nextSteps } from './next-steps.ts';
import { actingOperator } from './operator-lease.ts';
import { type Plan, planInstall } from './plan-install.ts';
import { withTimeout } from './with-timeout.ts';

/** Maximum number of requests in progress. */
const AT_ONCE = 16;

/** Runs `vimana install`: checks that everything can be done, does it, and reports the result for each object. */
export async function install(settings: InstallSettings, parts: InstallDeps): Promise<void> {
  const { io, client, clock, signal } = parts;
  const { dryRun, forceConflicts: force } = settings;
  const plan = await planInstall(settings, parts);
  for (const note of plan.notes) io.err(`${note}\n`);
  const counts = { created: 0, configured: 0, unchanged: 0 };
  const bring = async (some: readonly DesiredObject[]) => {
    for (let from = 0; from < some.length; from += AT_ONCE) {
      const now = some.slice(from, from + AT_ONCE);
      const outcomes = await Promise.all(now.map((each) => applyDesired(each, plan, { dryRun, force }, parts)));
      now.forEach((each, at) => {
        const outcome = outcomes[at] ?? 'unchanged';
        counts[outcome]++;
        io.out(`${nameOf(each)} ${outcome}${dryRun ? ' (server dry run)' : ''}\n`);
      });
    }
  };
  await bring(plan.definitions);
  // The order matters, because a binding requires its role and an account its namespace.
  for (const each of plan.permissions) await bring([each]);
  await bring(plan.nodes);
  if (settings.wait && !dryRun) await waitForKinds(plan, settings.timeout, parts);
  await bring(plan.examples);
  const { created, configured, unchanged } = counts;
  io.out(`${created} created, ${configured} configured, ${unchanged} unchanged\n`);
  if (dryRun) return;
  const operator = await actingOperator(client, clock, signal);
  const { dialects, vmShortName } = plan;
  const { examples } = settings;
  io.out(nextSteps({ dialects, vmShortName, examples, ...(operator === undefined ? {} : { operator }) }));
}

async function applyDesired(
  desired: DesiredObject,
  { before, examples }: Plan,
  { dryRun, force }: { readonly dryRun: boolean; readonly force: boolean },
  { client, signal }: InstallDeps,
): Promise<ApplyOutcome> {
  const was = before.get(desired);
  // An example that a user has modified stays as it is.
  if (was !== undefined && examples.includes(desired)) return 'unchanged';
  // An object whose namespace or kind is still to be created cannot be dry-run on the server.
  if (dryRun && was === undefined) return 'created';
  return apply(client, desired, was, { dryRun, force, signal });
}

/** Waits until the kinds are served. */
async function waitForKinds({ definitions }: Plan, ms: number, { io, client, clock, signal }: InstallDeps) {
  const missing = new Set(definitions.map(({ object }) => object.metadata.name ?? ''));
  const late = () => ({
    what: `these CRDs are not served: ${[...missing].join(', ')}`,
    hint: `To see why: kubectl describe crd ${[...missing][0]}`,
  });
  await withTimeout({ clock, signal, ms, late }, (ended) =>
    Promise.all([...missing].map((name) => waitForServed(client, name, ended).then(() => missing.delete(name)))),
  );
  io.out(`${definitions.length} kinds are served\n`);
}

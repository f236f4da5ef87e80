import type { Vmi, Vmim } from '#api/kubevirt/resources';
import { MIGRATION_CONFIGURATION } from '#api/operation-request';
import { quantityOf, tryParseQuantity, value } from '#platform/base/quantity';

/** Returns the transfer settings that the requester or the VM specifies, with the lower of both bandwidths. */
export function configurationOf(
  vmim: Pick<Vmim, 'metadata'>,
  vmi: Pick<Vmi, 'metadata'>,
): { readonly migrationConfiguration?: object } {
  const [own, requested] = [configurationIn(vmi), configurationIn(vmim)];
  if (own === undefined || requested === undefined) {
    const migrationConfiguration = requested ?? own;
    return migrationConfiguration === undefined ? {} : { migrationConfiguration };
  }
  const rates = [own, requested].flatMap(({ bandwidthPerMigration: rate }) => (rate === undefined ? [] : [rate]));
  const [min] = rates.toSorted((a, b) => rateOf(a) - rateOf(b));
  const limit = min === undefined ? {} : { bandwidthPerMigration: min };
  return { migrationConfiguration: { ...own, ...requested, ...limit } };
}

interface Configuration {
  readonly bandwidthPerMigration?: string;
}

/** Parses a rate. Zero means unlimited. */
const rateOf = (rate: string) => value(tryParseQuantity(rate) ?? quantityOf(0)) || Number.POSITIVE_INFINITY;

function configurationIn({ metadata }: Pick<Vmi, 'metadata'>): Configuration | undefined {
  const text = metadata.annotations?.[MIGRATION_CONFIGURATION];
  if (text === undefined) return undefined;
  try {
    const found: unknown = JSON.parse(text);
    return isFields(found) && Object.keys(found).length > 0 ? found : undefined;
  } catch {
    // Only an operator writes the annotation, so an unreadable one is ignored.
    return undefined;
  }
}

const isFields = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

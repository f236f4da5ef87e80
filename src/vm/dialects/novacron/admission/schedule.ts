import { parseCron } from '#platform/base/cron';
import { type FieldError, invalid } from '#platform/base/field-error';

/** Validates a cron expression. An omitted one is valid. */
export function validateSchedule(field: string, expression: string | undefined): FieldError[] {
  if (expression === undefined) return [];
  try {
    parseCron(expression);
    return [];
  } catch (error) {
    return [invalid(field, expression, `must be a cron expression of five fields: ${(error as Error).message}`)];
  }
}

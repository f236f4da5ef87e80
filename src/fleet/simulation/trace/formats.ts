import { alibabaFormat } from './alibaba.ts';
import { azureFormat } from './azure.ts';
import { googleFormat } from './google.ts';
import type { TraceFormat } from './trace-format.ts';

export const TRACE_FORMATS: readonly TraceFormat[] = [azureFormat, googleFormat, alibabaFormat];

import { GuestAgentError } from '../../machine-driver.ts';
import { agentText } from './agent-text.ts';

/** Deeper than any response of a guest agent. */
const MAX_DEPTH = 16;

/** Returns what a guest agent responded to a command. Throws GuestAgentError for an error or a malformed response. */
export function parseAgentMessage(command: string, line: string): unknown {
  if (depthOf(line) > MAX_DEPTH) throw malformed(command, 'it is nested too deeply');
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    throw malformed(command, 'it is not JSON');
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    throw malformed(command, 'it is not an object');
  }
  const { error, return: result } = message as { readonly error?: unknown; readonly return?: unknown };
  if (error === undefined) return result;
  const { desc } = (typeof error === 'object' && error !== null ? error : {}) as { readonly desc?: unknown };
  throw new GuestAgentError(`the guest agent rejected ${command}: ${agentText(desc) || 'without a reason'}`);
}

function malformed(command: string, why: string): GuestAgentError {
  return new GuestAgentError(`the response of the guest agent to ${command} is malformed: ${why}`);
}

/** Returns how deeply a JSON text is nested, before it is parsed. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isInString = false;
  for (let at = 0; at < text.length && deepest <= MAX_DEPTH; at++) {
    const char = text[at];
    if (isInString) {
      if (char === '\\') at++;
      else if (char === '"') isInString = false;
    } else if (char === '"') isInString = true;
    else if (char === '{' || char === '[') deepest = Math.max(deepest, ++depth);
    else if (char === '}' || char === ']') depth--;
  }
  return deepest;
}

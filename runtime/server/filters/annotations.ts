import type { RequestState } from '../context/filter.ts'

const none: Readonly<Record<string, string>> = {}

/**
 * The annotations of a request's audit event: those of the filters, and those that admission left with the response. The same
 * object for all requests without any.
 */
export function annotationsOf({
  annotations,
  response,
}: RequestState): Readonly<Record<string, string>> {
  const own = response?.annotations
  if (own === undefined) return annotations ?? none
  return { ...annotations, ...Object.fromEntries(own) }
}

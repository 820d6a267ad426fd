import type { RequestState } from '../context/filter.ts'

const none: Readonly<Record<string, string>> = {}

/** The annotations of a request's audit event: those of the filters and those of its response. */
export function annotationsOf({
  annotations,
  response,
}: RequestState): Readonly<Record<string, string>> {
  const own = response?.annotations
  if (own === undefined) return annotations ?? none
  return { ...annotations, ...Object.fromEntries(own) }
}

/** True for a pod all of whose containers have ended for good: it does not run again. */
export function hasEnded({
  status,
}: {
  readonly status?: { readonly phase?: string } | null | undefined
}): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}

/** What reads the claims of other issuers, loaded with the first of them: it brings the expression engine. */
export function loadClaimMapping(): Promise<typeof import('./claim-mapping.ts')> {
  return import('./claim-mapping.ts')
}

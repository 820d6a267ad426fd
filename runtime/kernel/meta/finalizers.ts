const standard = ['orphan', 'foregroundDeletion']

/** What is wrong with a finalizer of the platform's own kinds: one without a domain is known. `brand` is the platform's. */
export function ownerlessProblems(finalizer: string, brand: string): readonly string[] {
  if (finalizer.includes('/') || finalizer === brand || standard.includes(finalizer)) return []
  return ['name is neither a standard finalizer name nor is it fully qualified']
}

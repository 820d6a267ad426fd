/** The step of a JSON pointer that stands for a key. */
export function escapedStep(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** A step of a JSON pointer as the key that it stands for. */
export function unescapedStep(step: string): string {
  return step.includes('~') ? step.replaceAll('~1', '/').replaceAll('~0', '~') : step
}

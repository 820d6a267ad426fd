/** What is wrong with port numbers and port names. */

const mostPort = 65535

/** A port by number or by the name that a container gave it. */
export function targetProblems(port: number | string): readonly string[] {
  return typeof port === 'number' ? portProblems(port) : portNameProblems(port)
}

/** Why a number is no port. */
export function portProblems(port: number): readonly string[] {
  return port >= 1 && port <= mostPort ? [] : ['must be between 1 and 65535, inclusive']
}

const none: readonly string[] = []
/** Most port names, seen at a glance. */
const plain = /^[a-z](?:-?[a-z0-9])*$/

/** A port name: up to 15 lower case letters, digits and single hyphens inside, at least one letter. */
export function portNameProblems(name: string): readonly string[] {
  if (name.length <= 15 && plain.test(name)) return none
  const broken = (holds: boolean, problem: string) => (holds ? [] : [problem])
  return [
    ...broken(name.length <= 15, 'must be no more than 15 characters'),
    ...broken(
      /^[-a-z0-9]+$/.test(name),
      'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
    ),
    ...broken(/[a-z]/.test(name), 'must contain at least one letter (a-z)'),
    ...broken(!name.includes('--'), 'must not contain consecutive hyphens'),
    ...broken(!/^-|-$/.test(name), 'must not begin or end with a hyphen'),
  ]
}

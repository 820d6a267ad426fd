/** What annotations may be: keys are qualified names, values any text, all of them together not too much. */
import { qualifiedNameProblems } from './names.ts'

/** Most bytes of all keys and values of an object's annotations together. */
export const mostAnnotationBytes = 262_144

/** What is wrong with the key of an annotation, whose domain may be written with capitals. */
export function annotationKeyProblems(key: string): readonly string[] {
  return qualifiedNameProblems(key.toLowerCase())
}

/** How many bytes the keys and values have together. */
export function annotationBytes(annotations: Readonly<Record<string, string>>): number {
  return Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  )
}

import { setFlagsFromString } from 'node:v8'

/**
 * Has only functions optimized that are called a great many times. The V8 of Node 20 begins early, with a compiler that takes a third of a
 * run of a second; later ones have a faster compiler in between and no such flag. Called before the code of a command is loaded.
 */
export function optimizeLate(): void {
  const major = Number.parseInt(process.versions.v8, 10)
  if (major < 12) setFlagsFromString('--interrupt-budget=800000')
}

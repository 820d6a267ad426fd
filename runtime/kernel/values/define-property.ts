/** Sets an own property whose name comes from outside: `__proto__` never sets the prototype. */
export function define<T>(target: Record<string, T>, key: string, value: T): void {
  if (key !== '__proto__') target[key] = value
  else
    Object.defineProperty(target, key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    })
}

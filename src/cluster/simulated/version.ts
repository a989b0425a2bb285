/** The version that the tag of an image of Kubernetes names; `v0.0.0` where it names none. */
export function versionOf(image: string): string {
  return /:(v\d+\.\d+\.\d+[\w.-]*)(?:@|$)/.exec(image)?.[1] ?? 'v0.0.0';
}

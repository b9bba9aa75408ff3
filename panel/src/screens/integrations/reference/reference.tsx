export default function ReferencePart() {
  return null
}

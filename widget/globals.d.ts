interface Window {
  Lastcall?: Lastcall
}

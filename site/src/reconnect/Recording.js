/** Times are in milliseconds from the kill of the first node. */
export {}
//# sourceMappingURL=Recording.js.map

// How search ranks what it finds: a lab's handout before all else, reference solutions last.
var Scorer = {
  score: ([name, , , , score]) => score + (name.startsWith("labs/") ? 20 : name.startsWith("solutions/") ? -20 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
